export type ZoneState = 'Normal' | 'PartialDisruption' | 'FullDisruption'

/** Share of nodes that are not ready from which a zone is disrupted, and the least number of them. */
const [UNHEALTHY_SHARE, LEAST_UNHEALTHY] = [0.55, 3]
/** Number of nodes above which a disrupted zone still evicts pods. */
const LARGE_CLUSTER = 50
/** Nodes a second whose pods are evicted. */
const [RATE, SECONDARY_RATE] = [0.1, 0.01]

export function zoneState(ready: number, notReady: number): ZoneState {
  if (ready === 0 && notReady > 0) return 'FullDisruption'
  return notReady >= LEAST_UNHEALTHY && notReady / (ready + notReady) >= UNHEALTHY_SHARE ? 'PartialDisruption' : 'Normal'
}

/**
 * Nodes a second of a zone that get a taint with the effect NoExecute. If all zones are disrupted fully, the fault is
 * the controller's, and none does.
 */
export function evictionRate(state: ZoneState, nodes: number, areAllFull: boolean): number {
  if (areAllFull) return 0
  if (state !== 'PartialDisruption') return RATE
  return nodes > LARGE_CLUSTER ? SECONDARY_RATE : 0
}
