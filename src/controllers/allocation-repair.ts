import { errorMessage } from '../lib/error-message.ts'
import { pause } from '../lib/pause.ts'
import type { PortRange } from '../resources/core/service/allocation/port-set.ts'
import { createRepairState, repairAllocations } from '../resources/core/service/allocation/repair.ts'
import type { Controller } from './controller.ts'

const INTERVAL_MS = 3 * 60_000
const RETRY_MS = 5_000
/**
 * Minimum age of a reservation before it is released, in milliseconds. Longer than any request lives, so its writer has
 * failed.
 */
const SHARED_GRACE_MS = 90_000
/** Minimum age if only this process writes to the store, in milliseconds. */
const EXCLUSIVE_GRACE_MS = 10_000

/**
 * Releases cluster IPs and node ports that a crash left without a service, shortly after start and then every three
 * minutes. @param exclusive whether no other server writes to the store.
 */
export function allocationRepairController(nodePortRange: PortRange, exclusive: boolean): Controller {
  const graceMilliseconds = exclusive ? EXCLUSIVE_GRACE_MS : SHARED_GRACE_MS
  return async (env, signal) => {
    const state = createRepairState()
    let runs = 0
    while (!signal.aborted) {
      let wait = RETRY_MS
      try {
        const report = await repairAllocations(env.access, state, { nodePortRange, now: performance.now(), graceMilliseconds })
        const found = Object.entries(report).filter(([, items]) => items.length > 0)
        if (found.length > 0)
          env.logger.warn('repaired allocations of services', Object.fromEntries(found.map(([name, items]) => [name, items.join(',')])))
        // The first run finds candidates. The second, after the grace period, releases those that are still unused.
        wait = ++runs === 1 ? graceMilliseconds + 1000 : INTERVAL_MS
      } catch (error) {
        if (!signal.aborted) env.logger.debug(1, 'cannot repair the allocations of services, retrying', { error: errorMessage(error) })
      }
      await pause(wait, signal)
    }
  }
}
