import type { PolicyIndex } from '../admission/policies/policy-index.ts'
import { VALIDATING_POLICIES, VALIDATING_POLICY_BINDINGS } from '../resources/kinds.ts'
import { type ControllerEnvironment, followKept, keysOf } from './controller.ts'

/** Keeps the index as the validating policies and their bindings are, from the watch cache. Every server runs it. */
export async function followPolicies(env: ControllerEnvironment, index: PolicyIndex, signal: AbortSignal): Promise<void> {
  const waiting = new Set(['policies', 'bindings'])
  const synced = (what: string): void => {
    if (waiting.delete(what) && waiting.size === 0) index.filling.end()
  }
  index.filling.begin()
  await Promise.all([
    followKept(env, VALIDATING_POLICIES, signal, {
      keys: () => keysOf(index.policyNames()),
      put: policy => index.putPolicy(policy),
      remove: (_, name) => index.removePolicy(name),
      synced: () => synced('policies'),
    }),
    followKept(env, VALIDATING_POLICY_BINDINGS, signal, {
      keys: () => keysOf(index.bindingNames()),
      put: binding => index.putBinding(binding),
      remove: (_, name) => index.removeBinding(name),
      synced: () => synced('bindings'),
    }),
  ])
}
