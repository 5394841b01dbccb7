import type { TypePackage } from '../../schema/idl.ts'

/** The types of discovery.k8s.io/v1. */
export const discoveryTypes: TypePackage = {
  id: 'discovery',
  definition: 'io.k8s.api.discovery.v1',
  source: `
enum AddressType FQDN IPv4 IPv6
enum Protocol SCTP TCP UDP

type Endpoint # One backend, such as a pod.
  addresses 1 []string set # Addresses of the type that the slice says; all are the same to a client.
  conditions 2 EndpointConditions? # Whether it can be sent requests.
  hostname 3 *string? # Its name within the service's domain.
  targetRef 4 *core.ObjectReference? # The object that it stands for.
  deprecatedTopology 5 map[string]string? deprecated # What v1beta1 knew of its place; read-only.
  nodeName 6 *string? # The node that it is on.
  zone 7 *string? # The zone that it is in.
  hints 8 *EndpointHints? # Who should use it.

type EndpointConditions
  ready 1 *bool? # Whether it takes new requests; not known counts as ready. False while it is being deleted.
  serving 2 *bool? # Like ready, but told of endpoints that are being deleted, too.
  terminating 3 *bool? # Whether it is being deleted; not known counts as no.

type EndpointHints
  forZones 1 []ForZone? atomic # Clients of these zones, 8 at most.
  forNodes 2 []ForNode? atomic # Clients on these nodes, 8 at most.

type EndpointPort atomic
  name 1 *string? # Unique in the slice, and empty or a label; the service's port has the same.
  protocol 2 *Protocol? # TCP (the default), UDP or SCTP.
  port 3 *int32? # None means any port.
  appProtocol 4 *string? # What is spoken over the port, such as https or example.com/own.

type EndpointSlice typemeta # Some of the addresses behind a service; the slices of a service together are all of them.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  addressType 4 AddressType # What the addresses are: IPv4, IPv6 or FQDN; cannot be changed.
  endpoints 2 []Endpoint atomic # The addresses with their state, 1000 at most.
  ports 3 []EndpointPort optional atomic # Ports that every address has, 100 at most, each name once.

type EndpointSliceList typemeta
  metadata 1 meta.ListMeta?
  items 2 []EndpointSlice

type ForNode
  name 1 string # Name of the node.

type ForZone
  name 1 string # Name of the zone.
`,
}
