import type { ServedResource } from '../catalog/catalog.ts'
import { subresourceOf } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import type { GroupVersionKind } from '../meta/gvk.ts'
import type { JsonObject } from '../meta/object.ts'
import type { AdmissionRequest } from '../registry/types.ts'

/** metav1.GroupVersionResource */
export interface GroupVersionResource {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** What a request is about in one of the versions of its resource. */
export interface About {
  readonly version: Version
  readonly resource: GroupVersionResource
  readonly kind: GroupVersionKind
}

/** A resource, and what its bodies are: of a subresource with a kind of its own (scale, eviction, exec) that one. */
export function aboutOf(version: Version, subresource: string, kindName?: string): About {
  const own = subresource === '' ? undefined : subresourceOf(version, subresource)?.kind
  const kind = own
    ? { group: own.group, version: own.version, kind: own.kind }
    : { group: version.group, version: version.name, kind: kindName ?? version.kind }
  return { version, resource: { group: version.group, version: version.name, resource: version.names.plural }, kind }
}

/** What the request itself is about. */
export const aboutRequest = ({ served, subresource, operation, object }: AdmissionRequest): About =>
  aboutOf(served.version, subresource, operation === 'CONNECT' ? object?.kind : undefined)

/** The other served versions in which the request could have been made, in order. */
export const equivalentsOf = ({ served, subresource, operation, object }: AdmissionRequest): About[] =>
  otherVersions(served, subresource).map(version => aboutOf(version, subresource, operation === 'CONNECT' ? object?.kind : undefined))

/** The other versions of the kind that have the subresource, for rules of the policy Equivalent. */
const otherVersions = ({ definition, version }: ServedResource, subresource: string): Version[] =>
  definition.versions.filter(each => each !== version && (subresource === '' || subresourceOf(each, subresource) !== undefined))

/** Selectors of namespaces look at the labels of the object itself then. */
export const isNamespaceResource = ({ group, version, resource }: GroupVersionResource): boolean =>
  group === '' && version === 'v1' && resource === 'namespaces'

/** The namespace of a request, as admission sees it: that of a namespace is its own name. */
export function namespaceOf({ served, namespace, name, object }: AdmissionRequest): string {
  if (namespace !== '' || served.version.group !== '' || served.version.names.plural !== 'namespaces') return namespace
  return name || object?.metadata.name || ''
}

const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

/** The options of a request, as an object of meta.k8s.io/v1. What connects has none: its options are its object. */
export function operationOptions({ operation, options }: AdmissionRequest): JsonObject | undefined {
  if (operation === 'CONNECT') return undefined
  const type = { kind: OPTIONS[operation], apiVersion: 'meta.k8s.io/v1' }
  // The body of a deletion may name another version.
  return { ...type, ...options, ...type }
}
