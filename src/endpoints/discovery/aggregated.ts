import type { JsonObject } from '../../api/meta/object.ts'
import type { APIResource } from '../../api/meta/v1.types.ts'
import { declarationsOf } from '../../api/packages.ts'
import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import { uncreated } from '../../lifecycle/uncreated.ts'
import { TypeRegistry } from '../../schema/idl.ts'
import type { StructSchema } from '../../schema/schema.ts'
import type { ListedGroups } from '../aggregator.ts'
import type { Document } from '../forms/response-form.ts'
import { apiResources } from './resources.ts'

const types = new TypeRegistry().addFile('meta', declarationsOf('meta')).addFile('apidiscovery', declarationsOf('apidiscovery'))

/** Type of a `groupDiscoveryList` of either version, by which protobuf is encoded. Parsed at the first call. */
export const groupDiscoveryListType = (): StructSchema => types.type('apidiscovery.APIGroupDiscoveryList')

/** Type of a resource in it. */
export const resourceDiscoveryType = (): StructSchema => types.type('apidiscovery.APIResourceDiscovery')

/**
 * Returns the apidiscovery.k8s.io APIGroupDiscoveryList of the core group (`/api`), or of all others (`/apis`).
 * KEP-3352.
 */
export function groupDiscoveryList(snapshot: CatalogSnapshot, groups: ListedGroups, core: boolean, version: string): Document {
  const items = [...groups]
    .filter(([group]) => (group === '') === core)
    .map(([group, versions]) => ({
      metadata: { ...(group !== '' && { name: group }), ...uncreated(snapshot.release) },
      versions: versions.map(({ name, groupVersion, foreign }) => ({
        version: name,
        resources: foreign ? [...foreign.resources] : resourcesOf(group, name, apiResources(snapshot, groupVersion)),
        freshness: foreign?.freshness ?? 'Current',
      })),
    }))
  return { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items }
}

/**
 * Returns the APIResourceDiscovery of each resource of a version. Subresources are nested in their resources; in
 * APIResourceLists they are separate items.
 */
function resourcesOf(group: string, version: string, resources: readonly APIResource[]): JsonObject[] {
  return resources
    .filter(resource => !resource.name.includes('/'))
    .map(resource => {
      const subresources = resources
        .filter(other => other.name.startsWith(`${resource.name}/`))
        .map(other => ({
          subresource: other.name.slice(resource.name.length + 1),
          // A subresource of another kind states the group and version of that kind.
          responseKind: {
            group: other.version === undefined ? group : (other.group ?? ''),
            version: other.version ?? version,
            kind: other.kind,
          },
          verbs: other.verbs,
        }))
      return {
        resource: resource.name,
        responseKind: { group, version, kind: resource.kind },
        scope: resource.namespaced ? 'Namespaced' : 'Cluster',
        singularResource: resource.singularName,
        verbs: resource.verbs,
        ...(resource.shortNames && { shortNames: resource.shortNames }),
        ...(resource.categories && { categories: resource.categories }),
        ...(subresources.length > 0 && { subresources }),
      }
    })
}
