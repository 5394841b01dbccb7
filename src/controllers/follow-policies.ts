import type { CompiledPolicy } from '../admission/policies/compiled-policy.ts'
import type { AdmissionPolicy, PolicyBinding, PolicySpec } from '../admission/policies/policy.ts'
import type { PolicyIndex } from '../admission/policies/policy-index.ts'
import type { KindId } from '../catalog/define.ts'
import { MUTATING_POLICIES, MUTATING_POLICY_BINDINGS, VALIDATING_POLICIES, VALIDATING_POLICY_BINDINGS } from '../resources/kinds.ts'
import { type ControllerEnvironment, clusterKeys, followKept } from './controller.ts'

/** Policy kinds with the kinds of their bindings. */
export const POLICY_KINDS = {
  mutating: { policies: MUTATING_POLICIES, bindings: MUTATING_POLICY_BINDINGS },
  validating: { policies: VALIDATING_POLICIES, bindings: VALIDATING_POLICY_BINDINGS },
} as const

/** Keeps the index in sync with the policies of one kind and their bindings. Every server runs it. */
export async function followPolicies<Spec extends PolicySpec, Compiled extends CompiledPolicy>(
  env: ControllerEnvironment,
  kinds: { readonly policies: KindId<AdmissionPolicy<Spec>>; readonly bindings: KindId<PolicyBinding> },
  index: PolicyIndex<Spec, Compiled>,
  signal: AbortSignal,
): Promise<void> {
  const waiting = new Set(['policies', 'bindings'])
  const synced = (what: string): void => {
    if (waiting.delete(what) && waiting.size === 0) index.filling.end()
  }
  index.filling.begin()
  await Promise.all([
    followKept(env, kinds.policies, signal, {
      keys: () => clusterKeys(index.policyNames()),
      put: policy => index.putPolicy(policy),
      remove: (_, name) => index.removePolicy(name),
      synced: () => synced('policies'),
    }),
    followKept(env, kinds.bindings, signal, {
      keys: () => clusterKeys(index.bindingNames()),
      put: binding => index.putBinding(binding),
      remove: (_, name) => index.removeBinding(name),
      synced: () => synced('bindings'),
    }),
  ])
}
