import type { AdmissionParts } from '../../cel/admission-environment.ts'
import { BOOL } from '../../cel/type.ts'
import { aggregate } from '../../lib/aggregate.ts'
import type { Steps } from '../../lib/steps.ts'
import { type CompiledExpression, compileExpression } from './compiled-expression.ts'
import type { ConditionMetrics, ConditionSubject } from './condition-metrics.ts'
import { type Evaluation, evaluateExpressions } from './evaluation.ts'

/** Cost budget of the match conditions of one webhook or policy per request. */
export const CONDITIONS_BUDGET = 2_500_000

/** Compiled match conditions of a webhook or policy, in their order. */
export type MatchConditions = readonly { readonly name: string; readonly compiled: CompiledExpression }[]

/** Compiles each condition once for all requests. Runs in steps, because lists can be long. */
export function* compileConditions(
  conditions: readonly { readonly name: string; readonly expression: string }[],
  parts: AdmissionParts,
): Steps<MatchConditions> {
  const compiled: MatchConditions[number][] = []
  for (const { name, expression } of conditions) {
    compiled.push({ name, compiled: yield* compileExpression(expression, parts, [BOOL]) })
    yield
  }
  return compiled
}

/**
 * Result of match conditions. `failed` names the condition that is false. `error`: no condition is false, but some
 * failed to evaluate, in upstream's words.
 */
export type ConditionsOutcome =
  | { readonly matches: true; readonly error?: never }
  | { readonly matches: false; readonly failed: string; readonly error?: never }
  | { readonly error: string }

/** Variables of the conditions, and the metrics that observe them. */
export interface ConditionsEvaluation extends Omit<Evaluation, 'budget'> {
  readonly metrics: ConditionMetrics
  readonly subject: ConditionSubject
}

/** Evaluates match conditions. A false condition excludes the request, even if others fail to evaluate. */
export async function meetsConditions(
  conditions: MatchConditions,
  { metrics, subject, ...evaluation }: ConditionsEvaluation,
): Promise<ConditionsOutcome> {
  const began = performance.now()
  const observe = (errors: number): void => metrics.observe(subject, (performance.now() - began) / 1000, errors)
  const compiled = conditions.map(condition => condition.compiled)
  const evaluated = await evaluateExpressions(compiled, { ...evaluation, budget: CONDITIONS_BUDGET })
  if (evaluated.exhausted !== undefined) {
    observe(0)
    return { error: evaluated.exhausted }
  }
  const { results } = evaluated
  const falseAt = results.findIndex(result => result?.value === false)
  const errors = (falseAt < 0 ? results : results.slice(0, falseAt)).flatMap(result => result?.error ?? [])
  const failed = conditions[falseAt]
  if (failed || errors.length > 0) observe(errors.length)
  if (failed) return { matches: false, failed: failed.name }
  return errors.length === 0 ? { matches: true } : { error: aggregate(errors) }
}
