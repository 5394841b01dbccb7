import type { PartitionTypeStatus, ShareableSummaryStatus } from '../../../api/resource/v1alpha3.types.ts'
import type { Device, ResourceSlice } from '../../../api/resource/v1beta2.types.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { quote } from '../../../lib/go-quote.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { addParsed, parseQuantity, type Quantity } from '../../../meta/quantity.ts'
import {
  type CounterAmount,
  type CounterAmounts,
  deviceCounters,
  hasCounters,
  sharedCounters,
  shiftCounters,
} from '../../shared/counter-amounts.ts'
import type { PoolUse } from './pool-use.ts'

/** A pool whose slices are all known. */
export interface CompletePool {
  /** Text `DRIVER/POOL`. */
  readonly id: string
  readonly driver: string
  readonly slices: readonly ResourceSlice[]
  readonly use: PoolUse
}

/** A view of a pool, or why there is none. */
type View<T> = { readonly view?: T; readonly error?: string }

/** Most partition types and capacities of a pool in a status. */
const MOST_ENTRIES = 32
const ZERO = parseQuantity('0')

/** Returns the string that an attribute with a domain has for a device. Attributes of the driver may be without it. */
function attributeText({ attributes = {} }: Device, name: string, driver: string): string | undefined {
  const own = name.startsWith(`${driver}/`) ? attributes[name.slice(driver.length + 1)] : undefined
  return (attributes[name] ?? own)?.string
}

/** Partitions of one type. */
interface Partitions {
  readonly attribute: string
  readonly type: string
  /** Counters that each of them consumes, as text. */
  readonly cost: string
  total: number
  /** Counters that each free one consumes. A free one is in no claim. */
  readonly free: (readonly CounterAmount[])[]
}

const costText = (amounts: readonly CounterAmount[]): string =>
  amounts
    .map(([name, { canonical }]) => `${name}=${canonical}`)
    .sort()
    .join()

/**
 * Counts the partitions of each type, and how many more of them could be allocated. The type is the value of an
 * attribute. Source: computePartitionSummary of pkg/controller/resourcepoolstatusrequest.
 *
 * @param preset attribute if no slice of the pool names one
 */
export function* partitionSummary(pool: CompletePool, preset: string | undefined): Steps<View<PartitionTypeStatus[]>> {
  const { id, slices, use } = pool
  const isNamed = slices.some(({ spec }) => spec.partitionTypeAttribute !== undefined && hasDevices(spec))
  const attributeOf = ({ spec }: ResourceSlice): string | undefined => (isNamed ? spec.partitionTypeAttribute : preset)
  if (!slices.some(slice => attributeOf(slice) !== undefined && hasDevices(slice.spec))) return {}
  if (!slices.some(({ spec }) => (spec.sharedCounters?.length ?? 0) > 0))
    return { error: `PartitionTypeMissing: pool ${id} declares partitionTypeAttribute but publishes no sharedCounters` }
  const left = sharedCounters(slices)
  const groups = new Map<string, Partitions>()
  for (const slice of slices) {
    const attribute = attributeOf(slice)
    for (const device of slice.spec.devices ?? []) {
      if (isStepDone()) yield
      if (!device.consumesCounters?.length) continue
      const consumed = deviceCounters(device)
      const isUsed = use.devices.has(device.name)
      if (isUsed) shiftCounters(left, consumed, true)
      if (attribute === undefined) continue
      const type = attributeText(device, attribute, pool.driver)
      if (type === undefined)
        return {
          error: `PartitionTypeMissing: device ${quote(device.name)} in pool ${id} does not carry partition type attribute ${quote(attribute)}`,
        }
      const cost = costText(consumed)
      const key = JSON.stringify([attribute, type])
      const group = groups.get(key) ?? { attribute, type, cost, total: 0, free: [] }
      groups.set(key, group)
      if (group.cost !== cost)
        return { error: `PartitionCostMismatch: devices of partition type ${quote(type)} in pool ${id} consume different counters` }
      group.total++
      if (!isUsed) group.free.push(consumed)
    }
  }
  if (groups.size > MOST_ENTRIES)
    return {
      error: `PartitionSummaryOverCap: pool ${id} has ${groups.size} partition types, exceeding the maximum of ${MOST_ENTRIES}`,
    }
  const view: PartitionTypeStatus[] = []
  for (const { attribute, type, total, free } of groups.values())
    view.push({ attribute, type, total, allocatable: yield* countFitting(free, left) })
  return { view: view.sort((a, b) => compareText(a.attribute ?? '', b.attribute ?? '') || compareText(a.type ?? '', b.type ?? '')) }
}

const hasDevices = ({ devices }: ResourceSlice['spec']): boolean => (devices?.length ?? 0) > 0

/** Counts the devices for which counters suffice together. */
function* countFitting(devices: readonly (readonly CounterAmount[])[], available: CounterAmounts): Steps<number> {
  const left: CounterAmounts = new Map(available)
  let count = 0
  for (const consumed of devices) {
    if (isStepDone()) yield
    if (!hasCounters(left, consumed)) continue
    count++
    shiftCounters(left, consumed, true)
  }
  return count
}

/**
 * Counts the devices that several claims can share, and sums their capacities. Undefined without such devices. Source:
 * computeShareableSummary.
 */
export function* shareableSummary({ id, slices, use }: CompletePool): Steps<View<ShareableSummaryStatus>> {
  const totals = new Map<string, Quantity>()
  let [free, used] = [0, 0]
  for (const { spec } of slices)
    for (const { name, allowMultipleAllocations, capacity = {} } of spec.devices ?? []) {
      if (isStepDone()) yield
      if (!allowMultipleAllocations) continue
      if (use.devices.has(name)) used++
      else free++
      for (const [key, { value }] of Object.entries(capacity)) {
        const before = totals.get(key)
        const amount = parseQuantity(value)
        totals.set(key, before ? addParsed(before, amount, false) : amount)
      }
    }
  if (free + used === 0) return {}
  if (totals.size > MOST_ENTRIES)
    return {
      error: `ShareableSummaryOverCap: pool ${id} has ${totals.size} shareable capacity keys, exceeding the maximum of ${MOST_ENTRIES}`,
    }
  const capacity = [...totals]
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, total]) => {
      const consumed = use.capacity.get(name) ?? ZERO
      const rest = addParsed(total, consumed, true)
      return { name, total: total.canonical, consumed: consumed.canonical, available: rest.value < 0 ? '0' : rest.canonical }
    })
  return { view: { fullyAvailableDevices: free, partiallyAvailableDevices: used, capacity } }
}
