import type { ValidatingAdmissionPolicySpec } from '../../api/admissionregistration/v1.types.ts'
import { type AdmissionParts, seenType } from '../../cel/admission-environment.ts'
import { BOOL, NULL, STRING, type Type } from '../../cel/type.ts'
import type { Steps } from '../../lib/steps.ts'
import { type CompiledExpression, compileExpression } from '../expressions/compiled-expression.ts'
import { compileConditions, type MatchConditions } from '../expressions/match-conditions.ts'
import type { AdmissionPolicy, PolicySpec } from './policy.ts'

/** Compiled form shared by validating and mutating policies. Expressions that do not compile carry the error. */
export interface CompiledPolicy {
  readonly variables: ReadonlyMap<string, CompiledExpression>
  /** Optional. Omitted if the policy has no match conditions. */
  readonly conditions?: MatchConditions
}

/** Compiled ValidatingAdmissionPolicy. */
export interface CompiledValidatingPolicy extends CompiledPolicy {
  readonly validations: readonly CompiledValidation[]
  readonly annotations: readonly { readonly key: string; readonly value: CompiledExpression }[]
}

/** Compiled entry of `spec.validations`. */
export interface CompiledValidation {
  readonly check: CompiledExpression
  /** Optional. Compiled without the authorizer, which message expressions may not use. */
  readonly messageExpression?: CompiledExpression
  readonly message: string
  readonly reason: string
}

/**
 * Compiles variables and match conditions. Returns them with the declarations that later expressions may use. Runs in
 * steps, because a policy can have very many expressions.
 */
export function* compileShared(spec: PolicySpec): Steps<{ readonly compiled: CompiledPolicy; readonly parts: AdmissionParts }> {
  const variables = new Map<string, CompiledExpression>()
  const types = new Map<string, Type>()
  const parts: AdmissionParts = { params: spec.paramKind !== undefined, authorizer: true, variables: types }
  for (const { name, expression } of spec.variables ?? []) {
    const compiled = yield* compileExpression(expression, parts)
    variables.set(name, compiled)
    types.set(name, seenType(compiled.type))
    yield
  }
  const conditions = yield* compileConditions(spec.matchConditions ?? [], parts)
  return { compiled: { variables, ...(conditions.length > 0 && { conditions }) }, parts }
}

/** Compiles a ValidatingAdmissionPolicy. */
export function* compileValidatingPolicy({ spec }: AdmissionPolicy<ValidatingAdmissionPolicySpec>): Steps<CompiledValidatingPolicy> {
  const { compiled, parts } = yield* compileShared(spec)
  const { authorizer: _, ...plain } = parts
  const validations: CompiledValidation[] = []
  for (const { expression, message = '', messageExpression, reason = 'Invalid' } of spec.validations ?? []) {
    const check = yield* compileExpression(expression, parts, [BOOL])
    const text = messageExpression && { messageExpression: yield* compileExpression(messageExpression, plain, [STRING]) }
    validations.push({ check, ...text, message, reason })
    yield
  }
  const annotations: CompiledValidatingPolicy['annotations'][number][] = []
  for (const { key, valueExpression } of spec.auditAnnotations ?? [])
    annotations.push({ key, value: yield* compileExpression(valueExpression, parts, [STRING, NULL]) })
  return { ...compiled, validations, annotations }
}
