/** Share by which an endpoint may get more traffic than in an even distribution. */
const OVERLOAD = 0.2

/** Number of endpoints by zone. */
export type ZoneCounts = ReadonlyMap<string, number>

/** Numbers of endpoints that a zone is to have. */
export interface Allocation {
  /** Fewer would overload the endpoints of the zone. */
  readonly minimum: number
  /** With more, another zone could not have its minimum. */
  readonly maximum: number
  /** Share of the endpoints, at least the minimum. Not rounded. */
  readonly desired: number
}

/** Why a service gets no hints, as its event says. */
export interface NoAllocation {
  readonly reason: string
}

/**
 * Returns the number of endpoints for each zone by its share of the CPU. @param ratios undefined if the nodes lack
 * information.
 */
export function allocationsOf(endpoints: number, ratios: ZoneCounts | undefined): ReadonlyMap<string, Allocation> | NoAllocation {
  if (ratios === undefined) return { reason: 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes' }
  if (ratios.size < 2) return { reason: 'Nodes only ready in one zone' }
  const counts = `(${endpoints} endpoints, ${ratios.size} zones)`
  if (ratios.size > endpoints) return { reason: `Insufficient number of endpoints ${counts}` }
  const minimums = new Map([...ratios].map(([zone, ratio]) => [zone, Math.ceil(ratio * endpoints * (1 / (1 + OVERLOAD)))]))
  const spare = endpoints - [...minimums.values()].reduce((sum, minimum) => sum + minimum, 0)
  if (spare < 0)
    return { reason: `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}` }
  return new Map(
    [...minimums].map(([zone, minimum]) => [
      zone,
      { minimum, maximum: minimum + spare, desired: Math.max((ratios.get(zone) ?? 0) * endpoints, minimum) },
    ]),
  )
}

/** Whether a zone has too few of a service's endpoints for its share of the CPU. */
export function isOverloaded(allocated: ZoneCounts, ratios: ZoneCounts | undefined): boolean {
  if (allocated.size === 0) return false
  if (ratios === undefined) return true
  const total = [...allocated.values()].reduce((sum, count) => sum + count, 0)
  return [...ratios].some(([zone, ratio]) => {
    const count = allocated.get(zone)
    return count === undefined || count < Math.ceil(total * ratio * (1 / (1 + OVERLOAD)))
  })
}

/** Numbers of endpoints that zones give to others, and receive from others. */
export interface Exchange {
  /** Numbers by the zone that gives. */
  readonly giving: Map<string, number>
  /** Numbers by the zone that receives. */
  readonly receiving: Map<string, number>
}

/** Returns how many endpoints zones must exchange so that each has about the desired number. */
export function exchangeOf(allocations: ReadonlyMap<string, Pick<Allocation, 'desired'>>, allocated: ZoneCounts): Exchange {
  const surplus = new Map<string, number>()
  const need = new Map<string, number>()
  for (const [zone, { desired }] of allocations) {
    const difference = (allocated.get(zone) ?? 0) - desired
    if (difference > 0) surplus.set(zone, difference)
    else if (difference < 0) need.set(zone, -difference)
  }
  const exchange: Exchange = { giving: new Map(), receiving: new Map() }
  for (;;) {
    const [from, give] = largest(surplus)
    const [to, receive] = largest(need)
    if (from === '' || to === '' || (give < 1 && receive < 1) || give < 0.5 || receive < 0.5) return exchange
    count(exchange.giving, from, 1)
    count(surplus, from, -1)
    count(exchange.receiving, to, 1)
    count(need, to, -1)
  }
}

/** Returns the zone with the largest number. An empty name if all numbers are 0. */
function largest(zones: ZoneCounts): readonly [string, number] {
  let best: readonly [string, number] = ['', 0]
  for (const entry of zones) if (entry[1] > best[1]) best = entry
  return best
}

/** Adds to the count of a zone. */
export function count(counts: Map<string, number>, zone: string, add: number): void {
  counts.set(zone, (counts.get(zone) ?? 0) + add)
}
