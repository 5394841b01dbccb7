import { type AdmissionParts, seenType } from '../../cel/admission-environment.ts'
import { BOOL, NULL, STRING, type Type } from '../../cel/type.ts'
import type { Steps } from '../../lib/steps.ts'
import { type CompiledExpression, compileExpression } from '../expressions/compiled-expression.ts'
import { compileConditions, type MatchConditions } from '../expressions/match-conditions.ts'
import type { Policy } from './policy.ts'

/** ValidatingAdmissionPolicy, admissionregistration.k8s.io/v1, ready to run: every expression compiled, those that do not compile with the reason. */
export interface CompiledPolicy {
  readonly variables: ReadonlyMap<string, CompiledExpression>
  /** Absent where there are none. */
  readonly conditions?: MatchConditions
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

/** An expression is some steps: a policy may hold very many. */
export function* compilePolicy({ spec }: Policy): Steps<CompiledPolicy> {
  const params = spec.paramKind !== undefined
  const variables = new Map<string, CompiledExpression>()
  const types = new Map<string, Type>()
  const parts: AdmissionParts = { params, authorizer: true, variables: types }
  for (const { name, expression } of spec.variables ?? []) {
    const compiled = yield* compileExpression(expression, parts)
    variables.set(name, compiled)
    types.set(name, seenType(compiled.type))
    yield
  }
  const conditions = spec.matchConditions ?? []
  const compiledConditions = yield* compileConditions(conditions, parts)
  const validations: Validation[] = []
  for (const { expression, message = '', messageExpression, reason = 'Invalid' } of spec.validations ?? []) {
    const check = yield* compileExpression(expression, parts, [BOOL])
    const text = messageExpression && { messageExpression: yield* compileExpression(messageExpression, { params, variables: types }, [STRING]) }
    validations.push({ check, ...text, message, reason })
    yield
  }
  const annotations: CompiledPolicy['annotations'][number][] = []
  for (const { key, valueExpression } of spec.auditAnnotations ?? [])
    annotations.push({ key, value: yield* compileExpression(valueExpression, parts, [STRING, NULL]) })
  return { variables, ...(conditions.length > 0 && { conditions: compiledConditions }), validations, annotations }
}
