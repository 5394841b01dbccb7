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

type Endpoint # One backend, such as a pod.
  addresses 1 []string set # Addresses of the type that the slice says; all are the same to a client.
  conditions 2 EndpointConditions? # Whether it can be sent requests.
  hostname 3 *string? # Its name within the service's domain.
  targetRef 4 *core.ObjectReference? # The object that it stands for.
  topology 5 map[string]string? deprecated # Labels of its place: of the node, the zone and the region.
  nodeName 6 *string? # The node that it is on.
  hints 7 *EndpointHints? # Who should use it.

type EndpointPort
  name 1 *string? # Unique in the slice, and empty or a label; the service's port has the same.
  protocol 2 *discovery.Protocol? # TCP (the default), UDP or SCTP.
  port 3 *int32? # None means any port.
  appProtocol 4 *string? # What is spoken over the port, such as https or example.com/own.

type EndpointSlice like discovery.EndpointSlice
  addressType 4 string
`,
  },
]
