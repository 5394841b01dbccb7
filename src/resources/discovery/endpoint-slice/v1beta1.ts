import type { Endpoint, EndpointSlice } from '../../../api/discovery/v1.types.ts'
import type { Endpoint as EndpointV1beta1 } from '../../../api/discovery/v1beta1.types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { ownMember } from '../../../meta/equal.ts'

/** A slice in v1beta1. Its addresses have the types of v1. */
export type EndpointSliceV1beta1 = Omit<EndpointSlice, 'endpoints'> & { endpoints: EndpointV1beta1[] | null }

const ZONE = 'topology.kubernetes.io/zone'
export const HOST_NAME = 'kubernetes.io/hostname'

const unlessEmpty = (topology: Record<string, string>): Record<string, string> | undefined =>
  Object.keys(topology).length > 0 ? topology : undefined

/** Converts an endpoint to v1, which has a field for the zone. The host name is dropped if it equals nodeName. */
function endpointToV1({ topology, ...endpoint }: EndpointV1beta1): Endpoint {
  if (!topology) return endpoint
  const zone = ownMember(topology, ZONE)
  const isNode = ownMember(topology, HOST_NAME) === endpoint.nodeName
  const kept = unlessEmpty(Object.fromEntries(Object.entries(topology).filter(([key]) => key !== ZONE && !(isNode && key === HOST_NAME))))
  return { ...endpoint, ...(kept && { deprecatedTopology: kept }), ...(zone !== undefined && { zone }) }
}

/** Converts an endpoint to v1beta1. The topology contains zone and node, unless it has a host name already. */
function endpointFromV1({ deprecatedTopology, zone, ...endpoint }: Endpoint): EndpointV1beta1 {
  const { nodeName } = endpoint
  const topology = unlessEmpty({
    ...deprecatedTopology,
    ...(zone !== undefined && { [ZONE]: zone }),
    ...(nodeName !== undefined && !ownMember(deprecatedTopology, HOST_NAME) && { [HOST_NAME]: nodeName }),
  })
  return { ...endpoint, ...(topology && { topology }) }
}

function* each<T, R>(items: readonly T[] | null, change: (item: T) => R): Steps<R[] | null> {
  if (items === null) return null
  const changed: R[] = []
  for (const item of items) {
    changed.push(change(item))
    if (isStepDone()) yield
  }
  return changed
}

/**
 * Converts discovery.k8s.io/v1beta1 to v1, in steps of some endpoints. Source: pkg/apis/discovery/v1beta1 in
 * k8s.io/kubernetes.
 */
export function* sliceToV1({ endpoints, ...slice }: EndpointSliceV1beta1): Steps<EndpointSlice> {
  return { ...slice, endpoints: yield* each(endpoints, endpointToV1) }
}

/** Converts discovery.k8s.io/v1 to v1beta1. */
export function* fromV1({ endpoints, ...slice }: EndpointSlice): Steps<EndpointSliceV1beta1> {
  return { ...slice, endpoints: yield* each(endpoints, endpointFromV1) }
}
