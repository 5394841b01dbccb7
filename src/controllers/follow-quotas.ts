import type { QuotaIndex } from '../resources/core/resource-quota/admission/quota-index.ts'
import { QUOTAS } from '../resources/kinds.ts'
import { type ControllerEnvironment, followKept } from './controller.ts'

/** Keeps the index in sync with the stored quotas. Every server runs it. */
export function followQuotas(env: ControllerEnvironment, index: QuotaIndex, signal: AbortSignal): Promise<void> {
  index.filling.begin()
  return followKept(env, QUOTAS, signal, {
    keys: () => index.keys(),
    put: quota => index.put(quota),
    remove: (namespace, name) => index.remove(namespace, name),
    synced: () => index.filling.end(),
  })
}
