import type { Activation } from '../../cel/program/frame.ts'
import { typeNameOf, type Value } from '../../cel/values/value.ts'
import { invariant } from '../../lib/invariant.ts'
import type { CompiledExpression } from '../expressions/compiled-expression.ts'
import { type Evaluated, type ExpressionResult, evaluateExpressions } from '../expressions/evaluation.ts'
import { type ConditionsEvaluation, meetsConditions } from '../expressions/match-conditions.ts'
import type { CompiledValidatingPolicy, CompiledValidation } from './compiled-policy.ts'

/**
 * Cost budget of all validations of a policy, per request and param object. Its audit annotations have another budget
 * of the same size.
 */
export const POLICY_BUDGET = 10_000_000
/** Maximum length of the result of a messageExpression, in bytes. */
const MAX_MESSAGE = 5 * 1024

/**
 * Result of one validation. `admit` with a message: the evaluation failed, and failurePolicy Ignore admits the request.
 */
export interface ValidationDecision {
  readonly action: 'admit' | 'deny'
  /** Whether the expression could not be evaluated. */
  readonly failed: boolean
  readonly message: string
  /** Reason of the Status. Empty for the default, Invalid. */
  readonly reason: string
  readonly seconds: number
}

/** Evaluated audit annotation. Annotations whose expression returns null are omitted. */
export type Annotation = { readonly key: string; readonly seconds: number } & ({ readonly value: string } | { readonly error: string })

/** Result of the validations and audit annotations of one policy. */
export interface PolicyResult {
  /** One decision per validation, in order. A single one if the policy as a whole failed to evaluate. */
  readonly decisions: readonly ValidationDecision[]
  readonly annotations: readonly Annotation[]
  /** Cost of all expressions except match conditions. Omitted if no evaluation completed. */
  readonly cost?: number
}

/** Variables of the expressions of a policy. */
export interface PolicyValues {
  /** Variables of match conditions: the resource of the request, and no namespaceObject. */
  readonly conditions: Activation
  readonly validations: Activation
  /** Variables of message expressions and audit annotations: without the authorizer. */
  readonly plain: Activation
}

const NO_MESSAGES: Evaluated = { results: [], remaining: 0 }
const NOTHING: PolicyResult = { decisions: [], annotations: [] }

/** Options of an evaluation. */
export interface DecisionOptions extends Pick<ConditionsEvaluation, 'metrics' | 'subject'> {
  /** Whether the failurePolicy is Ignore. */
  readonly ignoreFailures: boolean
}

/** Evaluates a validating policy for one request and one param object. */
export async function decide(
  policy: CompiledValidatingPolicy,
  values: PolicyValues,
  { ignoreFailures, metrics, subject }: DecisionOptions,
): Promise<PolicyResult> {
  const { variables, conditions, validations } = policy
  const failed = (message: string, seconds = 0): ValidationDecision => ({
    action: ignoreFailures ? 'admit' : 'deny',
    failed: true,
    message,
    reason: '',
    seconds,
  })
  if (conditions) {
    const outcome = await meetsConditions(conditions, { values: values.conditions, variables, metrics, subject })
    if (outcome.error !== undefined) return ignoreFailures ? NOTHING : { ...NOTHING, decisions: [failed(outcome.error)] }
    if (!outcome.matches) return NOTHING
  }
  const checks = await evaluateExpressions(
    validations.map(({ check }) => check),
    { values: values.validations, variables, budget: POLICY_BUDGET },
  )
  if (checks.exhausted !== undefined) return { ...NOTHING, decisions: [failed(checks.exhausted)] }
  const texts = validations.map(({ messageExpression }) => messageExpression)
  const messages = texts.every(text => text === undefined)
    ? NO_MESSAGES
    : await evaluateExpressions(texts, { values: values.plain, variables, budget: checks.remaining })
  const decisions = validations.map((validation, i): ValidationDecision => {
    const { error, value, seconds } = resultAt(checks.results, i)
    if (error !== undefined) return failed(error, seconds)
    if (messages.exhausted !== undefined) return failed(`failed messageExpression: ${messages.exhausted}`, seconds)
    if (value === true) return { action: 'admit', failed: false, message: '', reason: '', seconds }
    return { action: 'deny', failed: false, message: decisionMessage(validation, messages.results[i]), reason: validation.reason, seconds }
  })
  const cost = POLICY_BUDGET - (messages === NO_MESSAGES || messages.exhausted !== undefined ? checks.remaining : messages.remaining)
  if (policy.annotations.length === 0) return { decisions, annotations: [], cost }
  const annotations = await evaluateExpressions(
    policy.annotations.map(annotation => annotation.value),
    { values: values.plain, variables, budget: POLICY_BUDGET },
  )
  if (annotations.exhausted !== undefined) return { ...NOTHING, decisions: [failed(annotations.exhausted)] }
  return { decisions, annotations: annotationsOf(policy, annotations, ignoreFailures), cost: cost + POLICY_BUDGET - annotations.remaining }
}

/** Returns the result of an expression that was evaluated. */
function resultAt(results: readonly (ExpressionResult | undefined)[], index: number): ExpressionResult {
  const result = results[index]
  invariant(result, 'an expression without a result')
  return result
}

/**
 * Message for the client: the result of messageExpression if usable, otherwise `message`, otherwise the expression that
 * failed.
 */
function decisionMessage({ check, message }: CompiledValidation, result: ExpressionResult | undefined): string {
  const given = typeof result?.value === 'string' ? result.value.trim() : ''
  const isUsable = given !== '' && Buffer.byteLength(given) <= MAX_MESSAGE && !given.includes('\n')
  return (isUsable ? given : message.trim()) || `failed expression: ${check.expression.trim()}`
}

/** Converts the results of auditAnnotations. Omits null and empty values, and with failurePolicy Ignore also errors. */
function annotationsOf(
  policy: CompiledValidatingPolicy,
  evaluated: Extract<Evaluated, { remaining: number }>,
  ignoreFailures: boolean,
): Annotation[] {
  return policy.annotations.flatMap(({ key, value: compiled }, i): Annotation[] => {
    const { error, value, seconds } = resultAt(evaluated.results, i)
    if (error !== undefined) return ignoreFailures ? [] : [{ key, error, seconds }]
    if (value === null) return []
    if (typeof value !== 'string') return [{ key, error: unsupported(compiled, value), seconds }]
    const text = value.trim()
    return text === '' ? [] : [{ key, value: text, seconds }]
  })
}

const unsupported = ({ expression }: CompiledExpression, value: Value): string =>
  `valueExpression '${expression}' resulted in unsupported return type: ${typeNameOf(value)}. Return type must be either string or null.`
