import { type AdmissionParts, seenType } from '../../cel/admission-environment.ts'
import { BOOL, NULL, STRING, type Type } from '../../cel/type.ts'
import type { Steps } from '../../lib/steps.ts'
import type { KubeObject } from '../../meta/object.ts'
import { type CompiledExpression, compileExpression } from '../expressions/compiled-expression.ts'
import { compileConditions, type MatchConditions } from '../expressions/match-conditions.ts'

type ApiStruct = KubeObject['spec']

/** ValidatingAdmissionPolicy, admissionregistration.k8s.io/v1, ready to run: every expression compiled, those that do not compile with the reason. */
export interface CompiledPolicy {
  readonly variables: ReadonlyMap<string, CompiledExpression>
  /** Absent where there are none. */
  readonly conditions?: MatchConditions
  readonly validations: readonly Validation[]
  readonly annotations: readonly { readonly key: string; readonly value: CompiledExpression }[]
}

export interface Validation {
  readonly check: CompiledExpression
  /** The message expression, where there is one. It may not ask the authorizer. */
  readonly messageExpression?: CompiledExpression
  readonly message: string
  readonly reason: string
}

/** An expression is some steps: a policy may hold very many. */
export function* compilePolicy({ spec }: KubeObject): Steps<CompiledPolicy> {
  const params = spec.paramKind !== undefined && spec.paramKind !== null
  const variables = new Map<string, CompiledExpression>()
  const types = new Map<string, Type>()
  const parts: AdmissionParts = { params, authorizer: true, variables: types }
  for (const { name, expression } of (spec.variables ?? []) as ApiStruct[]) {
    const compiled = yield* compileExpression(expression, parts)
    variables.set(name, compiled)
    types.set(name, seenType(compiled.type))
    yield
  }
  const conditions: ApiStruct[] = spec.matchConditions ?? []
  const compiledConditions = yield* compileConditions(conditions, parts)
  const validations: Validation[] = []
  for (const { expression, message = '', messageExpression, reason = 'Invalid' } of (spec.validations ?? []) as ApiStruct[]) {
    const check = yield* compileExpression(expression, parts, [BOOL])
    const text = messageExpression && { messageExpression: yield* compileExpression(messageExpression, { params, variables: types }, [STRING]) }
    validations.push({ check, ...text, message, reason })
    yield
  }
  const annotations: CompiledPolicy['annotations'][number][] = []
  for (const { key, valueExpression } of (spec.auditAnnotations ?? []) as ApiStruct[])
    annotations.push({ key, value: yield* compileExpression(valueExpression, parts, [STRING, NULL]) })
  return { variables, ...(conditions.length > 0 && { conditions: compiledConditions }), validations, annotations }
}
