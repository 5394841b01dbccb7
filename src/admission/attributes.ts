import type { JsonObject } from '../api/meta/object.ts'
import type { GroupVersionKind, GroupVersionResource } from '../api/meta/v1.types.ts'
import type { ServedResource } from '../catalog/catalog.ts'
import { subresourceOf } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import type { AdmissionRequest } from '../registry/types.ts'

/** Resource and kind of a request in one version of the resource. */
export interface VersionedResource {
  readonly version: Version
  readonly resource: GroupVersionResource
  readonly kind: GroupVersionKind
}

/**
 * Returns the resource and the kind of request bodies. Subresources such as scale, eviction and exec have a kind of
 * their own.
 */
export function versionedResourceOf(version: Version, subresource: string, kindName?: string): VersionedResource {
  const own = subresource === '' ? undefined : subresourceOf(version, subresource)?.kind
  const kind = own
    ? { group: own.group, version: own.version, kind: own.kind }
    : { group: version.group, version: version.name, kind: kindName ?? version.kind }
  return { version, resource: { group: version.group, version: version.name, resource: version.names.plural }, kind }
}

/** Resource and kind of the request, in the version of its path. */
export const requestedResource = ({ served, subresource, operation, object }: AdmissionRequest): VersionedResource =>
  versionedResourceOf(served.version, subresource, operation === 'CONNECT' ? object?.kind : undefined)

/** The other served versions in which the same request could be made, in the order of the definition. */
export const equivalentsOf = ({ served, subresource, operation, object }: AdmissionRequest): VersionedResource[] =>
  otherVersions(served, subresource).map(version =>
    versionedResourceOf(version, subresource, operation === 'CONNECT' ? object?.kind : undefined),
  )

/** Other versions of the kind that serve the subresource. Rules with matchPolicy Equivalent match them as well. */
const otherVersions = ({ definition, version }: ServedResource, subresource: string): Version[] =>
  definition.versions.filter(each => each !== version && (subresource === '' || subresourceOf(each, subresource) !== undefined))

/** Whether the resource is `namespaces`. A namespaceSelector then matches the labels of the object itself. */
export const isNamespaceResource = ({ group, version, resource }: GroupVersionResource): boolean =>
  group === '' && version === 'v1' && resource === 'namespaces'

/** Namespace of the request, or the name of the object if that is a Namespace. */
export function namespaceOf({ served, namespace, name, object }: AdmissionRequest): string {
  if (namespace !== '' || served.version.group !== '' || served.version.names.plural !== 'namespaces') return namespace
  return name || object?.metadata.name || ''
}

const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

/** Options of the request as an object of meta.k8s.io/v1. Undefined for CONNECT, whose options are its object. */
export function operationOptions({ operation, options }: AdmissionRequest): JsonObject | undefined {
  if (operation === 'CONNECT') return undefined
  const type = { kind: OPTIONS[operation], apiVersion: 'meta.k8s.io/v1' }
  // A DeleteOptions body may name another apiVersion. Upstream always passes meta.k8s.io/v1.
  return { ...type, ...options, ...type }
}
