import type { TypePackage } from '../../schema/idl.ts'

/** IPAddress and ServiceCIDR, of networking.k8s.io/v1. */
export const networkingTypes: TypePackage = {
  id: 'networking',
  definition: 'io.k8s.api.networking.v1',
  source: `

type IPAddress typemeta # An address that is taken, named by its own text, and by whom.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 IPAddressSpec? # What is wanted.

type IPAddressList typemeta
  metadata 1 meta.ListMeta?
  items 2 []IPAddress

type IPAddressSpec
  parentRef 1 *ParentReference omitempty

type ParentReference
  group 1 string?
  resource 2 string omitempty
  namespace 3 string?
  name 4 string omitempty

type ServiceCIDR typemeta # Ranges from which services get their cluster IPs.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ServiceCIDRSpec? # What is wanted.
  status 3 ServiceCIDRStatus? # What is, as last reported; not set by those who want something.

type ServiceCIDRList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ServiceCIDR

type ServiceCIDRSpec
  cidrs 1 []string? atomic

type ServiceCIDRStatus
  conditions 1 []meta.Condition? map(type) merge(type)
`,
}
