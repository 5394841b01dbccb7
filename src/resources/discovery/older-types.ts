import type { TypePackage } from '../../schema/idl.ts'

/**
 * The types of discovery.k8s.io/v1beta1, as earlier releases served them. Objects of such versions are still read and written in every media type, by programs and by a server that
 * emulates a release that has them.
 */
export const olderDiscoveryTypes: readonly TypePackage[] = [
  {
    id: 'discoveryV1beta1',
    definition: 'io.k8s.api.discovery.v1beta1',
    source: `
types EndpointConditions EndpointHints EndpointSliceList ForNode ForZone like discovery

type Endpoint
  addresses 1 []string set
  conditions 2 EndpointConditions?
  hostname 3 *string?
  targetRef 4 *core.ObjectReference?
  topology 5 map[string]string? deprecated
  nodeName 6 *string?
  hints 7 *EndpointHints?

type EndpointPort
  name 1 *string?
  protocol 2 *discovery.Protocol?
  port 3 *int32?
  appProtocol 4 *string?

type EndpointSlice like discovery.EndpointSlice
  addressType 4 string
`,
  },
]
