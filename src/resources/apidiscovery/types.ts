import type { TypePackage } from '../../schema/idl.ts'

/** The types of apidiscovery.k8s.io, in which the server tells all that it serves in one answer, and reads what servers behind it serve. The older version is the same. */
export const apiDiscoveryTypes: readonly TypePackage[] = [
  {
    id: 'apidiscovery',
    definition: 'io.k8s.api.apidiscovery.v2',
    source: `
type APIGroupDiscovery typemeta # A group, and all that is served of it.
  metadata 1 meta.ObjectMeta? # Its name is that of the group.
  versions 2 []APIVersionDiscovery? map(version) # Its versions, the preferred one first.

type APIGroupDiscoveryList typemeta
  metadata 1 meta.ListMeta?
  items 2 []APIGroupDiscovery

type APIResourceDiscovery # A resource of a version.
  resource 1 string # Its name, in the plural, as in paths.
  responseKind 2 *meta.GroupVersionKind? # Kind of its objects.
  scope 3 string # Namespaced or Cluster.
  singularResource 4 string # Its name in the singular.
  verbs 5 []string set # What may be done with it.
  shortNames 6 []string? set # Shorter names.
  categories 7 []string? set # Groups of resources that it belongs to, such as all.
  subresources 8 []APISubresourceDiscovery? map(subresource) # Its subresources.

type APISubresourceDiscovery # A subresource of a resource.
  subresource 1 string # Its name, such as status.
  responseKind 2 *meta.GroupVersionKind? # Kind of the answers.
  acceptedTypes 3 []meta.GroupVersionKind? map(group,version,kind) # Kinds that may be sent to it.
  verbs 4 []string set # What may be done with it.

type APIVersionDiscovery # A version of a group.
  version 1 string # Its name.
  resources 2 []APIResourceDiscovery? map(resource) # Its resources.
  freshness 3 string? # Current, or Stale where the server behind cannot be reached.
`,
  },
  {
    id: 'apidiscoveryV2beta1',
    definition: 'io.k8s.api.apidiscovery.v2beta1',
    source: 'types APIGroupDiscovery APIGroupDiscoveryList APIResourceDiscovery APISubresourceDiscovery APIVersionDiscovery like apidiscovery',
  },
]
