import type { Kind } from './kinds.ts'
import { callJson } from './session.ts'

interface DiscoveredResource {
  readonly resource: string
  readonly responseKind?: { readonly kind?: string }
  readonly scope: string
  readonly verbs?: readonly string[]
  readonly shortNames?: readonly string[]
}

interface DiscoveredGroups {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string }
    readonly versions?: readonly { readonly version: string; readonly resources?: readonly DiscoveredResource[] }[]
  }[]
}

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
