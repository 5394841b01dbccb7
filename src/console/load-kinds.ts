import type { Kind } from './kinds.ts'
import { callJson } from './session.ts'

/** An APIResourceDiscovery of apidiscovery.k8s.io/v2. */
interface DiscoveredResource {
  /** Plural name in lower case. */
  readonly resource: string
  /** Optional. Kind of the objects. */
  readonly responseKind?: { readonly kind?: string }
  /** `Namespaced` or `Cluster`. */
  readonly scope: string
  /** Verbs in lower case. A kind without `list` has no page. */
  readonly verbs?: readonly string[]
  readonly shortNames?: readonly string[]
}

/** An APIGroupDiscoveryList. Groups and versions are in the order of preference. */
interface DiscoveredGroups {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string }
    readonly versions?: readonly { readonly version: string; readonly resources?: readonly DiscoveredResource[] }[]
  }[]
}

/** Media type of aggregated discovery (KEP-3352): one response for all groups below a path. */
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** Returns all kinds that can be listed, with the preferred version of each first. */
export async function loadKinds(): Promise<readonly Kind[]> {
  const answers = await Promise.all(['/api', '/apis'].map(path => callJson<DiscoveredGroups>(path, { headers: { Accept: AGGREGATED } })))
  const kinds: Kind[] = []
  for (const { items = [] } of answers)
    for (const { metadata, versions = [] } of items)
      for (const { version, resources = [] } of versions)
        for (const { resource, responseKind, scope, verbs = [], shortNames = [] } of resources) {
          if (!verbs.includes('list')) continue
          const group = metadata?.name ?? ''
          const preferred = !kinds.some(each => each.group === group && each.resource === resource)
          kinds.push({
            group,
            version,
            resource,
            kind: responseKind?.kind ?? resource,
            namespaced: scope === 'Namespaced',
            verbs,
            shortNames,
            preferred,
          })
        }
  return kinds
}
