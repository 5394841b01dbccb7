import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import type { ApiResource } from './resources.ts'
import { apiResources, groupsOf } from './resources.ts'

/** apidiscovery.k8s.io APIGroupDiscoveryList: of the core group (`/api`), or of all others (`/apis`). KEP-3352. */
export function groupDiscoveryList(snapshot: CatalogSnapshot, core: boolean, version: string): object {
  const items = [...groupsOf(snapshot)]
    .filter(([group]) => (group === '') === core)
    .map(([group, versions]) => ({
      metadata: { ...(group !== '' && { name: group }), creationTimestamp: null },
      versions: versions.map(({ name, groupVersion }) => ({
        version: name,
        resources: resourcesOf(group, name, apiResources(snapshot, groupVersion)),
        freshness: 'Current',
      })),
    }))
  return { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items }
}

function resourcesOf(group: string, version: string, resources: readonly ApiResource[]): object[] {
  return resources
    .filter(resource => !resource.name.includes('/'))
    .map(resource => {
      const subresources = resources
        .filter(other => other.name.startsWith(`${resource.name}/`))
        .map(other => ({
          subresource: other.name.slice(resource.name.length + 1),
          responseKind: { group: other.version === undefined ? group : (other.group ?? ''), version: other.version ?? version, kind: other.kind },
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
