import type { TypePackage } from '../../schema/idl.ts'

/** The types of apidiscovery.k8s.io, in which the server tells all that it serves in one answer, and reads what servers behind it serve. The older version is the same. */
export const apiDiscoveryTypes: readonly TypePackage[] = [
  {
    id: 'apidiscovery',
    definition: 'io.k8s.api.apidiscovery.v2',
    source: `
type APIGroupDiscovery typemeta
  metadata 1 meta.ObjectMeta?
  versions 2 []APIVersionDiscovery? map(version)

type APIGroupDiscoveryList typemeta
  metadata 1 meta.ListMeta?
  items 2 []APIGroupDiscovery

type APIResourceDiscovery
  resource 1 string
  responseKind 2 *meta.GroupVersionKind?
  scope 3 string
  singularResource 4 string
  verbs 5 []string set
  shortNames 6 []string? set
  categories 7 []string? set
  subresources 8 []APISubresourceDiscovery? map(subresource)

type APISubresourceDiscovery
  subresource 1 string
  responseKind 2 *meta.GroupVersionKind?
  acceptedTypes 3 []meta.GroupVersionKind? map(group,version,kind)
  verbs 4 []string set

type APIVersionDiscovery
  version 1 string
  resources 2 []APIResourceDiscovery? map(resource)
  freshness 3 string?
`,
  },
  {
    id: 'apidiscoveryV2beta1',
    definition: 'io.k8s.api.apidiscovery.v2beta1',
    source: 'types APIGroupDiscovery APIGroupDiscoveryList APIResourceDiscovery APISubresourceDiscovery APIVersionDiscovery like apidiscovery',
  },
]
