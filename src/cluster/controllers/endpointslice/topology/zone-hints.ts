import type { EndpointSlice } from '../../../../api/discovery/v1.types.ts'
import { isEndpointReady, withHint } from '../hints.ts'
import { type Allocation, count, type Exchange, type ZoneCounts } from './allocations.ts'

/** A slice of the controller's own, whose endpoints are replaced in place. */
export interface HintedSlice extends EndpointSlice {
  endpoints: NonNullable<EndpointSlice['endpoints']>
}

/**
 * Counts the hints of a slice by zone. Undefined if the slice must be updated: an endpoint lacks a hint, has one for a
 * zone without endpoints, or a zone would get more than its maximum. @param allocated hints of other slices.
 */
export function hintCounts(
  { endpoints }: EndpointSlice,
  allocated: ZoneCounts,
  allocations: ReadonlyMap<string, Pick<Allocation, 'maximum'>>,
): ZoneCounts | undefined {
  const counts = new Map<string, number>()
  for (const endpoint of (endpoints ?? []).filter(isEndpointReady)) {
    const zones = endpoint.hints?.forZones ?? []
    if (zones.length === 0) return undefined
    for (const { name } of zones) {
      if (!allocations.has(name)) return undefined
      count(counts, name, 1)
    }
  }
  const isOver = [...counts].some(([zone, hints]) => hints + (allocated.get(zone) ?? 0) > (allocations.get(zone)?.maximum ?? 0))
  return isOver ? undefined : counts
}

/**
 * Gives each ready endpoint a hint for its own zone, and counts it. Returns false, and stops, at an endpoint without a
 * zone.
 */
export function hintOwnZones(slices: readonly HintedSlice[], allocated: Map<string, number>): boolean {
  for (const { endpoints } of slices)
    for (const [i, endpoint] of endpoints.entries()) {
      if (!isEndpointReady(endpoint)) continue
      const { zone = '' } = endpoint
      if (zone === '') return false
      count(allocated, zone, 1)
      endpoints[i] = withHint(endpoint, { forZones: [{ name: zone }] })
    }
  return true
}

/**
 * Moves hints from zones that give to zones that receive. Returns the change of each zone. The counts of the exchange
 * are used up.
 */
export function redistributeHints(slices: readonly HintedSlice[], { giving, receiving }: Exchange): Map<string, number> {
  const changes = new Map<string, number>()
  for (const { endpoints } of slices)
    for (const [i, endpoint] of endpoints.entries()) {
      if (!isEndpointReady(endpoint)) continue
      const [to] = receiving.keys()
      const { zone = '' } = endpoint
      if (to === undefined || giving.size === 0) return changes
      if (!giving.has(zone)) continue
      endpoints[i] = withHint(endpoint, { forZones: [{ name: to }] })
      takeOne(giving, zone)
      takeOne(receiving, to)
      count(changes, to, 1)
      count(changes, zone, -1)
    }
  return changes
}

function takeOne(counts: Map<string, number>, zone: string): void {
  const left = (counts.get(zone) ?? 0) - 1
  if (left > 0) counts.set(zone, left)
  else counts.delete(zone)
}
