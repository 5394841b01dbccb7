import type { TypePackage } from '../../schema/idl.ts'

/** The types of discovery.k8s.io/v1. */
export const discoveryTypes: TypePackage = {
  id: 'discovery',
  definition: 'io.k8s.api.discovery.v1',
  source: `
enum AddressType FQDN IPv4 IPv6
enum Protocol SCTP TCP UDP

type Endpoint
  addresses 1 []string set
  conditions 2 EndpointConditions?
  hostname 3 *string?
  targetRef 4 *core.ObjectReference?
  deprecatedTopology 5 map[string]string? deprecated
  nodeName 6 *string?
  zone 7 *string?
  hints 8 *EndpointHints?

type EndpointConditions
  ready 1 *bool?
  serving 2 *bool?
  terminating 3 *bool?

type EndpointHints
  forZones 1 []ForZone? atomic
  forNodes 2 []ForNode? atomic

type EndpointPort atomic
  name 1 *string?
  protocol 2 *Protocol?
  port 3 *int32?
  appProtocol 4 *string?

type EndpointSlice typemeta
  metadata 1 meta.ObjectMeta?
  addressType 4 AddressType
  endpoints 2 []Endpoint atomic
  ports 3 []EndpointPort optional atomic

type EndpointSliceList typemeta
  metadata 1 meta.ListMeta?
  items 2 []EndpointSlice

type ForNode
  name 1 string

type ForZone
  name 1 string
`,
}
