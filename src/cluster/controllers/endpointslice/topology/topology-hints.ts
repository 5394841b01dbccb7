import type { EventType } from '../../../shared/event-recorder.ts'
import { isEndpointReady, type SliceSet, withoutHints } from '../hints.ts'
import { allocationsOf, count, exchangeOf, isOverloaded, type ZoneCounts } from './allocations.ts'
import { type HintedSlice, hintCounts, hintOwnZones, redistributeHints } from './zone-hints.ts'

/** An event about the hints of a service. */
export interface HintEvent {
  readonly type: EventType
  readonly reason: 'TopologyAwareHintsEnabled' | 'TopologyAwareHintsDisabled'
  readonly message: string
}

/** Slices with or without hints, and the events about the change. */
export interface HintedSlices {
  readonly slices: SliceSet
  readonly events: readonly HintEvent[]
}

/**
 * Distributes the traffic of services over zones by the CPU of their nodes, with hints in slices. Remembers which
 * services have hints, for events and to find services whose zones have too few endpoints. Corresponds to upstream's
 * TopologyCache.
 */
export class TopologyHints {
  /** Share of the CPU by zone. Undefined if the nodes lack information. */
  ratios: ZoneCounts | undefined
  /** By service and address type, the endpoints that zones have by hints. */
  readonly #allocated = new Map<string, Map<string, ZoneCounts>>()
  readonly #enabled = new Set<string>()

  /** Whether a service has hints. */
  get isUsed(): boolean {
    return this.#allocated.size > 0
  }

  /** Keys of the services with a zone that has too few endpoints. */
  overloaded(): string[] {
    return [...this.#allocated]
      .filter(([, types]) => [...types.values()].some(zones => isOverloaded(zones, this.ratios)))
      .map(([key]) => key)
  }

  /** Adds hints to the slices of a service, or removes them with an event that says why. */
  add(service: string, addressType: string, slices: SliceSet): HintedSlices {
    const all = [...slices.create, ...slices.update, ...slices.unchanged]
    const ready = all.reduce((sum, { endpoints }) => sum + (endpoints ?? []).filter(isEndpointReady).length, 0)
    const allocations = allocationsOf(ready, this.ratios)
    if ('reason' in allocations) return this.#without(service, addressType, slices, allocations.reason)
    const allocated = new Map<string, number>()
    const update = slices.update.map(ownSlice)
    const unchanged = slices.unchanged.filter(slice => {
      const counts = hintCounts(slice, allocated, allocations)
      if (!counts) update.push(ownSlice(slice))
      for (const [zone, hints] of counts ?? []) count(allocated, zone, hints)
      return counts
    })
    const create = slices.create.map(ownSlice)
    const open = [...create, ...update]
    if (!hintOwnZones(open, allocated))
      return this.#without(service, addressType, slices, 'One or more endpoints do not have a zone specified')
    for (const [zone, change] of redistributeHints(open, exchangeOf(allocations, allocated))) count(allocated, zone, change)
    if (allocated.size === 0) return this.#without(service, addressType, slices, 'No hints allocated for zones')
    const events = this.#enabled.has(service) ? [] : [hintEvent('Enabled', 'Topology Aware Hints has been enabled', addressType)]
    this.#enabled.add(service)
    this.#allocated.set(service, (this.#allocated.get(service) ?? new Map<string, ZoneCounts>()).set(addressType, allocated))
    return { slices: { create, update, unchanged }, events }
  }

  /**
   * Forgets the hints of a service whose annotation does not enable them. Returns the event about it if the service had
   * hints.
   */
  disable(service: string, addressType: string): readonly HintEvent[] {
    const had = this.#enabled.has(service)
    this.forget(service, addressType)
    return had ? [hintEvent('Disabled', 'Topology Aware Hints has been disabled', addressType)] : []
  }

  /** Forgets the hints of one address type of a service. */
  forget(service: string, addressType: string): void {
    const types = this.#allocated.get(service)
    types?.delete(addressType)
    if (types?.size === 0) this.#allocated.delete(service)
    this.#enabled.delete(service)
  }

  /** Removes the hints of one address type of a service, with an event that has the reason. */
  #without(service: string, addressType: string, slices: SliceSet, reason: string): HintedSlices {
    this.forget(service, addressType)
    return { slices: withoutHints(slices), events: [hintEvent('Disabled', reason, addressType)] }
  }
}

const ownSlice = <T extends HintedSlice | SliceSet['create'][number]>(slice: T): HintedSlice => ({
  ...slice,
  endpoints: [...(slice.endpoints ?? [])],
})

const hintEvent = (state: 'Enabled' | 'Disabled', message: string, addressType: string): HintEvent => ({
  type: state === 'Enabled' ? 'Normal' : 'Warning',
  reason: `TopologyAwareHints${state}`,
  message: `${message}, addressType: ${addressType}`,
})
