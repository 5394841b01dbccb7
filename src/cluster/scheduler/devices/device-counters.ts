import type { ResourceSlice } from '../../../api/resource/v1beta2.types.ts'
import {
  type CounterAmount,
  type CounterAmounts,
  deviceCounters,
  hasCounters,
  sharedCounters,
  shiftCounters,
} from '../../shared/counter-amounts.ts'
import { CompatibilityGroups } from './compatibility-groups.ts'
import type { DevicePool } from './device-pools.ts'
import { type OfferedDevice, offeredDevices } from './offered-devices.ts'
import type { AllocatedDevices } from './shared-capacities.ts'

const consumption = ({ device }: OfferedDevice): CounterAmount[] => deviceCounters(device)

/** Rules of a release for counters. */
export interface CounterRules {
  /**
   * Whether devices consume counters of any slice of their pool, as from 1.35 on. Before, those of their own slice.
   */
  readonly countsOtherNodes: boolean
  /** Whether devices that share counters may exclude each other. Gate DRADeviceCompatibilityGroups. */
  readonly compatibilityGroups: boolean
}

/** Counters that the devices of a pool share, while devices are chosen. Source: checkAvailableCounters. */
export class DeviceCounters {
  readonly #pools: ReadonlyMap<string, DevicePool>
  readonly #isAllocated: (id: string) => boolean
  readonly #isPerSlice: boolean
  /** Undefined if devices have no groups. */
  readonly #groups: CompatibilityGroups | undefined
  /** Amounts that are left, by pool or slice. */
  readonly #left = new Map<string | ResourceSlice, CounterAmounts>()

  constructor(
    pools: readonly DevicePool[],
    { exclusive, shared }: AllocatedDevices,
    { countsOtherNodes, compatibilityGroups }: CounterRules,
  ) {
    this.#pools = new Map(pools.map(pool => [pool.id, pool]))
    this.#isAllocated = id => exclusive.has(id) || shared.has(id)
    this.#isPerSlice = !countsOtherNodes
    this.#groups = compatibilityGroups ? new CompatibilityGroups() : undefined
  }

  /** Takes what a device consumes. Returns false, and takes nothing, if less is left. */
  take(device: OfferedDevice): boolean {
    if (!device.device.consumesCounters?.length) return true
    const left = this.#of(device)
    const wanted = consumption(device)
    if (!hasCounters(left, wanted) || this.#groups?.admits(device) === false) return false
    shiftCounters(left, wanted, true)
    this.#groups?.add(device)
    return true
  }

  /** Gives back what the last `take` has taken. */
  release(device: OfferedDevice): void {
    if (!device.device.consumesCounters?.length) return
    shiftCounters(this.#of(device), consumption(device), false)
    this.#groups?.removeLast(device)
  }

  #of({ driver, pool, slice }: OfferedDevice): CounterAmounts {
    const scope = this.#isPerSlice ? slice : `${driver}/${pool}`
    const known = this.#left.get(scope)
    if (known) return known
    const slices = typeof scope === 'string' ? (this.#pools.get(scope)?.slices ?? []) : [scope]
    const left = sharedCounters(slices)
    for (const each of slices)
      for (const device of offeredDevices(each)) {
        if (!this.#isAllocated(device.id)) continue
        shiftCounters(left, consumption(device), true)
        this.#groups?.add(device)
      }
    this.#left.set(scope, left)
    return left
  }
}
