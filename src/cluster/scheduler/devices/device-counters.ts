import type { ResourceSlice } from '../../../api/resource/v1beta2.types.ts'
import {
  type CounterAmount,
  type CounterAmounts,
  deviceCounters,
  hasCounters,
  sharedCounters,
  shiftCounters,
} from '../../shared/counter-amounts.ts'
import type { DevicePool } from './device-pools.ts'
import { type OfferedDevice, offeredDevices } from './offered-devices.ts'
import type { AllocatedDevices } from './shared-capacities.ts'

const consumption = ({ device }: OfferedDevice): CounterAmount[] => deviceCounters(device)

/** Counters that the devices of a pool share, while devices are chosen. Source: checkAvailableCounters. */
export class DeviceCounters {
  readonly #pools: ReadonlyMap<string, DevicePool>
  readonly #isAllocated: (id: string) => boolean
  readonly #isPerSlice: boolean
  /** Amounts that are left, by pool or slice. */
  readonly #left = new Map<string | ResourceSlice, CounterAmounts>()

  /**
   * @param isPerSlice whether devices consume counters of their own slice, as before 1.35. Since then, those of any
   * slice of their pool
   */
  constructor(pools: readonly DevicePool[], { exclusive, shared }: AllocatedDevices, isPerSlice: boolean) {
    this.#pools = new Map(pools.map(pool => [pool.id, pool]))
    this.#isAllocated = id => exclusive.has(id) || shared.has(id)
    this.#isPerSlice = isPerSlice
  }

  /** Takes what a device consumes. Returns false, and takes nothing, if less is left. */
  take(device: OfferedDevice): boolean {
    if (!device.device.consumesCounters?.length) return true
    const left = this.#of(device)
    const wanted = consumption(device)
    const suffices = hasCounters(left, wanted)
    if (suffices) shiftCounters(left, wanted, true)
    return suffices
  }

  /** Gives back what `take` has taken. */
  release(device: OfferedDevice): void {
    if (device.device.consumesCounters?.length) shiftCounters(this.#of(device), consumption(device), false)
  }

  #of({ driver, pool, slice }: OfferedDevice): CounterAmounts {
    const scope = this.#isPerSlice ? slice : `${driver}/${pool}`
    const known = this.#left.get(scope)
    if (known) return known
    const slices = typeof scope === 'string' ? (this.#pools.get(scope)?.slices ?? []) : [scope]
    const left = sharedCounters(slices)
    for (const each of slices)
      for (const device of offeredDevices(each)) if (this.#isAllocated(device.id)) shiftCounters(left, consumption(device), true)
    this.#left.set(scope, left)
    return left
  }
}
