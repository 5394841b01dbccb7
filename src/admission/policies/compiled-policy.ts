import { type AdmissionParts, seenType } from '../../cel/admission-environment.ts'
import { BOOL, NULL, STRING, type Type } from '../../cel/type.ts'
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

export function compilePolicy({ spec }: KubeObject): CompiledPolicy {
  const params = spec.paramKind !== undefined && spec.paramKind !== null
  const variables = new Map<string, CompiledExpression>()
  const types = new Map<string, Type>()
  const parts: AdmissionParts = { params, authorizer: true, variables: types }
  for (const { name, expression } of (spec.variables ?? []) as ApiStruct[]) {
    const compiled = compileExpression(expression, parts)
    variables.set(name, compiled)
    types.set(name, seenType(compiled.type))
  }
  const conditions: ApiStruct[] = spec.matchConditions ?? []
  return {
    variables,
    ...(conditions.length > 0 && { conditions: compileConditions(conditions, parts) }),
    validations: ((spec.validations ?? []) as ApiStruct[]).map(({ expression, message = '', messageExpression, reason = 'Invalid' }) => ({
      check: compileExpression(expression, parts, [BOOL]),
      ...(messageExpression && { messageExpression: compileExpression(messageExpression, { params, variables: types }, [STRING]) }),
      message,
      reason,
    })),
    annotations: ((spec.auditAnnotations ?? []) as ApiStruct[]).map(({ key, valueExpression }) => ({
      key,
      value: compileExpression(valueExpression, parts, [STRING, NULL]),
    })),
  }
}
