import type { Device, DeviceCounterConsumption, ResourceSlice } from '../../api/resource/v1beta2.types.ts'
import { addParsed, compareParsed, parseQuantity, type Quantity } from '../../meta/quantity.ts'

/** Amounts by counter set and counter, as `SET/COUNTER`. */
export type CounterAmounts = Map<string, Quantity>
export type CounterAmount = readonly [counter: string, amount: Quantity]

const amountsOf = ({ counterSet, counters = {} }: Pick<DeviceCounterConsumption, 'counterSet' | 'counters'>): CounterAmount[] =>
  Object.entries(counters).map(([name, { value }]) => [`${counterSet}/${name}`, parseQuantity(value)])

/** Returns what a device consumes. */
export const deviceCounters = ({ consumesCounters }: Device): CounterAmount[] => (consumesCounters ?? []).flatMap(amountsOf)

/** Returns the counters that the devices of slices share. */
export const sharedCounters = (slices: readonly ResourceSlice[]): CounterAmounts =>
  new Map(
    slices.flatMap(({ spec }) =>
      (spec.sharedCounters ?? []).flatMap(({ name, counters }) => amountsOf({ counterSet: name, ...(counters && { counters }) })),
    ),
  )

/** Reports whether counters have the amounts that a device consumes. */
export const hasCounters = (left: CounterAmounts, wanted: readonly CounterAmount[]): boolean =>
  wanted.every(([name, amount]) => {
    const before = left.get(name)
    return before !== undefined && compareParsed(before, amount) >= 0
  })

/** Adds amounts to counters, or subtracts them. Counters that do not exist are left out. */
export function shiftCounters(counters: CounterAmounts, by: readonly CounterAmount[], subtracts: boolean): void {
  for (const [name, amount] of by) {
    const before = counters.get(name)
    if (before) counters.set(name, addParsed(before, amount, subtracts))
  }
}
