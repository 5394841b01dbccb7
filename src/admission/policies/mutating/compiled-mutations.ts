import type { MutatingAdmissionPolicySpec } from '../../../api/admissionregistration/v1.types.ts'
import { APPLY_CONFIGURATION, JSON_PATCH } from '../../../cel/admission-environment.ts'
import type { Steps } from '../../../lib/steps.ts'
import { type CompiledExpression, compileExpression } from '../../expressions/compiled-expression.ts'
import { type CompiledPolicy, compileShared } from '../compiled-policy.ts'
import type { AdmissionPolicy } from '../policy.ts'

/** Compiled MutatingAdmissionPolicy. */
export interface CompiledMutatingPolicy extends CompiledPolicy {
  readonly mutations: readonly CompiledMutation[]
}

/** Compiled entry of `spec.mutations`. */
export interface CompiledMutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch'
  readonly expression: CompiledExpression
}

/**
 * Compiles a MutatingAdmissionPolicy. Only its mutations may construct patches; variables and match conditions may not.
 */
export function* compileMutatingPolicy({ spec }: AdmissionPolicy<MutatingAdmissionPolicySpec>): Steps<CompiledMutatingPolicy> {
  const { compiled, parts } = yield* compileShared(spec)
  const mutations: CompiledMutation[] = []
  for (const { patchType, applyConfiguration, jsonPatch } of spec.mutations ?? []) {
    const isJsonPatch = patchType === 'JSONPatch'
    const expression = (isJsonPatch ? jsonPatch : applyConfiguration)?.expression ?? ''
    const result = isJsonPatch ? JSON_PATCH : APPLY_CONFIGURATION
    mutations.push({
      patchType: isJsonPatch ? 'JSONPatch' : 'ApplyConfiguration',
      expression: yield* compileExpression(expression, { ...parts, patches: true }, [result]),
    })
    yield
  }
  return { ...compiled, mutations }
}
