import type { DeviceCounterConsumption, ResourceSlice } from '../../../api/resource/v1beta2.types.ts'
import { addParsed, compareParsed, parseQuantity, type Quantity } from '../../../meta/quantity.ts'
import type { DevicePool } from './device-pools.ts'
import { type OfferedDevice, offeredDevices } from './offered-devices.ts'
import type { AllocatedDevices } from './shared-capacities.ts'

/** CounterAmounts by counter set and counter, as `SET/COUNTER`. */
type CounterAmounts = Map<string, Quantity>

const consumed = ({ counterSet, counters = {} }: DeviceCounterConsumption): [string, Quantity][] =>
  Object.entries(counters).map(([name, { value }]) => [`${counterSet}/${name}`, parseQuantity(value)])

const consumption = ({ device }: OfferedDevice): [string, Quantity][] => (device.consumesCounters ?? []).flatMap(consumed)

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
    const suffices = wanted.every(([name, amount]) => {
      const before = left.get(name)
      return before !== undefined && compareParsed(before, amount) >= 0
    })
    if (suffices) change(left, wanted, true)
    return suffices
  }

  /** Gives back what `take` has taken. */
  release(device: OfferedDevice): void {
    if (device.device.consumesCounters?.length) change(this.#of(device), consumption(device), false)
  }

  #of({ driver, pool, slice }: OfferedDevice): CounterAmounts {
    const scope = this.#isPerSlice ? slice : `${driver}/${pool}`
    const known = this.#left.get(scope)
    if (known) return known
    const slices = typeof scope === 'string' ? (this.#pools.get(scope)?.slices ?? []) : [scope]
    const left: CounterAmounts = new Map(
      slices.flatMap(({ spec }) =>
        (spec.sharedCounters ?? []).flatMap(({ name, counters }) => consumed({ counterSet: name, ...(counters && { counters }) })),
      ),
    )
    for (const each of slices)
      for (const device of offeredDevices(each)) if (this.#isAllocated(device.id)) change(left, consumption(device), true)
    this.#left.set(scope, left)
    return left
  }
}

function change(amounts: CounterAmounts, by: readonly (readonly [string, Quantity])[], subtracts: boolean): void {
  for (const [name, amount] of by) {
    const before = amounts.get(name)
    if (before) amounts.set(name, addParsed(before, amount, subtracts))
  }
}
