import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { ownMember } from '../../../meta/equal.ts'
import type { Endpoint, EndpointSlice } from '../v1.types.ts'
import type { Endpoint as EndpointV1beta1 } from '../v1beta1.types.ts'

/** A slice of v1beta1, whose addresses are of the types of v1. */
export type EndpointSliceV1beta1 = Omit<EndpointSlice, 'endpoints'> & { endpoints: EndpointV1beta1[] | null }

const ZONE = 'topology.kubernetes.io/zone'
export const HOST_NAME = 'kubernetes.io/hostname'

const unlessEmpty = (topology: Record<string, string>): Record<string, string> | undefined => (Object.keys(topology).length > 0 ? topology : undefined)

/** v1 has a field for the zone. The host name is left out where it is nodeName, and kept where it is another. */
function endpointToV1({ topology, ...endpoint }: EndpointV1beta1): Endpoint {
  if (!topology) return endpoint
  const zone = ownMember(topology, ZONE)
  const isNode = ownMember(topology, HOST_NAME) === endpoint.nodeName
  const kept = unlessEmpty(Object.fromEntries(Object.entries(topology).filter(([key]) => key !== ZONE && !(isNode && key === HOST_NAME))))
  return { ...endpoint, ...(kept && { deprecatedTopology: kept }), ...(zone !== undefined && { zone }) }
}

/** The topology has zone and node, unless it names a host already. */
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

/** discovery.k8s.io/v1beta1 → v1, in steps of some endpoints each. Source: pkg/apis/discovery/v1beta1 in k8s.io/kubernetes. */
export function* toV1({ endpoints, ...slice }: EndpointSliceV1beta1): Steps<EndpointSlice> {
  return { ...slice, endpoints: yield* each(endpoints, endpointToV1) }
}

/** discovery.k8s.io/v1 → v1beta1. */
export function* fromV1({ endpoints, ...slice }: EndpointSlice): Steps<EndpointSliceV1beta1> {
  return { ...slice, endpoints: yield* each(endpoints, endpointFromV1) }
}
