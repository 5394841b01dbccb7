import type { ResourceClaim } from '../../../api/resource/v1beta2.types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { addParsed, parseQuantity, type Quantity } from '../../../meta/quantity.ts'

/** Allocations of the devices of a pool. */
export interface PoolUse {
  /** Number of allocations, those of administrators included. */
  allocations: number
  /** Names of devices that claims have, except for access of administrators. */
  readonly devices: Set<string>
  /** Capacities that claims consume, except for access of administrators, by name. */
  readonly capacity: Map<string, Quantity>
}

/** Use of a pool that no claim has devices of. */
export const UNUSED: PoolUse = { allocations: 0, devices: new Set(), capacity: new Map() }

/** Returns the use of the pools of a driver, by their names. */
export function* usedPools(claims: readonly ResourceClaim[], driver: string): Steps<ReadonlyMap<string, PoolUse>> {
  const pools = new Map<string, PoolUse>()
  for (const { status } of claims) {
    if (isStepDone()) yield
    for (const result of status.allocation?.devices?.results ?? []) {
      if (isStepDone()) yield
      if (result.driver !== driver) continue
      let use = pools.get(result.pool)
      if (use === undefined) {
        use = { allocations: 0, devices: new Set(), capacity: new Map() }
        pools.set(result.pool, use)
      }
      use.allocations++
      if (result.adminAccess) continue
      use.devices.add(result.device)
      for (const [name, text] of Object.entries(result.consumedCapacity ?? {})) {
        const before = use.capacity.get(name)
        const amount = parseQuantity(text)
        use.capacity.set(name, before ? addParsed(before, amount, false) : amount)
      }
    }
  }
  return pools
}
