import { type AdmissionParts, seenType } from '../../cel/admission-environment.ts'
import { BOOL, NULL, STRING, type Type } from '../../cel/type.ts'
import type { Steps } from '../../lib/steps.ts'
import { type CompiledExpression, compileExpression } from '../expressions/compiled-expression.ts'
import { compileConditions, type MatchConditions } from '../expressions/match-conditions.ts'
import type { Policy, PolicySpec, ValidatingSpec } from './policy.ts'

/** What policies of both kinds have, ready to run: every expression compiled, those that do not compile with the reason. */
export interface CompiledPolicy {
  readonly variables: ReadonlyMap<string, CompiledExpression>
  /** Absent where there are none. */
  readonly conditions?: MatchConditions
}

/** ValidatingAdmissionPolicy, ready to run. */
export interface CompiledValidatingPolicy extends CompiledPolicy {
  readonly validations: readonly Validation[]
  readonly annotations: readonly { readonly key: string; readonly value: CompiledExpression }[]
}

/** One entry of `spec.validations`, compiled. */
export interface Validation {
  readonly check: CompiledExpression
  /** The message expression, where there is one. It may not ask the authorizer. */
  readonly messageExpression?: CompiledExpression
  readonly message: string
  readonly reason: string
}

/** Variables and match conditions, and what the expressions after them may speak of. An expression is some steps: a policy may hold very many. */
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
export function* compileValidatingPolicy({ spec }: Policy<ValidatingSpec>): Steps<CompiledValidatingPolicy> {
  const { compiled, parts } = yield* compileShared(spec)
  const { authorizer: _, ...plain } = parts
  const validations: Validation[] = []
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
