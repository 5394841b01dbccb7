import type { Endpoint, EndpointHints, EndpointSlice } from '../../../api/discovery/v1.types.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { isEndpointReady, type SliceSet, withHints } from './hints.ts'

/**
 * Whether a preference of a service adds hints. @param hasSame whether the release has PreferSameZone and
 * PreferSameNode.
 */
export const isKnownDistribution = (distribution: string | undefined, hasSame: boolean): distribution is string =>
  distribution === 'PreferClose' || (hasSame && (distribution === 'PreferSameZone' || distribution === 'PreferSameNode'))

/**
 * Sets the hints of all ready endpoints to their own zone, and with PreferSameNode to their own node. An unchanged
 * slice is updated only if a hint is wrong. Without a preference all hints are removed. Corresponds to upstream's
 * trafficdist.ReconcileHints.
 */
export function distributeTraffic(distribution: string | undefined, { create, update, unchanged }: SliceSet): SliceSet {
  const hintsOf = (endpoint: Endpoint): EndpointHints | undefined => {
    if (distribution === undefined) return undefined
    if (!isEndpointReady(endpoint)) return endpoint.hints
    return ownHints(endpoint, distribution === 'PreferSameNode')
  }
  const needsUpdate = ({ endpoints }: EndpointSlice): boolean =>
    (endpoints ?? []).some(endpoint => !areSameHints(endpoint.hints, hintsOf(endpoint)))
  return {
    create: create.map(slice => withHints(slice, hintsOf)),
    update: [...update, ...unchanged.filter(needsUpdate)].map(slice => withHints(slice, hintsOf)),
    unchanged: unchanged.filter(slice => !needsUpdate(slice)),
  }
}

function ownHints({ zone, nodeName }: Endpoint, withNode: boolean): EndpointHints | undefined {
  const forNodes = withNode && nodeName !== undefined
  if (zone === undefined && !forNodes) return undefined
  return { ...(zone !== undefined && { forZones: [{ name: zone }] }), ...(forNodes && { forNodes: [{ name: nodeName }] }) }
}

const areSameHints = (a: EndpointHints | undefined, b: EndpointHints | undefined): boolean =>
  (a === undefined) === (b === undefined) &&
  deepEqual(a?.forZones ?? [], b?.forZones ?? []) &&
  deepEqual(a?.forNodes ?? [], b?.forNodes ?? [])
