import { errorMessage } from '../lib/error-message.ts'
import { pause } from '../lib/pause.ts'
import type { PortRange } from '../resources/core/service/allocation/port-set.ts'
import { createRepairState, repairAllocations } from '../resources/core/service/allocation/repair.ts'
import type { Controller } from './controller.ts'

const INTERVAL_MS = 3 * 60_000
const RETRY_MS = 5_000
/** Longer than any request lives: a reservation that is older has lost its writer. */
const SHARED_GRACE_MS = 90_000
/** Between a reservation and its write stands nothing but this process's own store. */
const EXCLUSIVE_GRACE_MS = 10_000

/**
 * Frees cluster IPs and node ports that a crash left without a service: soon after the start, and every three minutes. `exclusive`: no other server writes to the
 * store (an embedded one).
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
        if (found.length > 0) env.logger.warn('repaired allocations of services', Object.fromEntries(found.map(([name, items]) => [name, items.join(',')])))
        // The first run finds what may be left over, the second what is.
        wait = ++runs === 1 ? graceMilliseconds + 1000 : INTERVAL_MS
      } catch (error) {
        if (!signal.aborted) env.logger.debug(1, 'repair of allocations failed', { error: errorMessage(error) })
      }
      await pause(wait, signal)
    }
  }
}
