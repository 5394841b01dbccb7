import { createHash } from 'node:crypto'
import type { APIResource } from '../../api/meta/v1.types.ts'
import type { CatalogSnapshot, ServedResource } from '../../catalog/catalog.ts'
import type { ResourceDefinition, Subresource, Version } from '../../catalog/definition.ts'
import { compareText } from '../../lib/compare-text.ts'
import { parseApiVersion } from '../../meta/gvk.ts'
import type { ListedGroups, ListedVersion } from '../aggregator.ts'
import { dialectOf } from '../dialect/dialect-of.ts'

/**
 * Returns the APIResourceList of a group version: resources by name, each followed by its subresources. Members are in
 * the order in which upstream writes them.
 */
export const apiResources = (snapshot: CatalogSnapshot, groupVersion: string): APIResource[] =>
  snapshot
    .resourcesOf(groupVersion)
    .map(resourceWithSubresources)
    .sort((a, b) => compareText(a.own.name, b.own.name))
    .flatMap(({ own, subresources }) => [own, ...subresources])

/**
 * Resources that are not stored (reviews) have no storageVersionHash. Verbs of subresources are sorted; those of
 * resources are in declared order.
 */
function resourceWithSubresources({ definition, version }: ServedResource): {
  readonly own: APIResource
  readonly subresources: readonly APIResource[]
} {
  const namespaced = definition.scope === 'Namespaced'
  const { names } = version
  const dialect = dialectOf(version.schema)
  const own: APIResource = {
    name: names.plural,
    singularName: names.singular,
    namespaced,
    kind: version.kind,
    verbs: dialect.discoveredVerbs(version.advertisedVerbs ?? version.verbs),
    ...(names.shortNames && { shortNames: [...names.shortNames] }),
    ...(version.categories && { categories: [...version.categories] }),
    ...(definition.storage && { storageVersionHash: storageHash(definition.storage) }),
  }
  const subresources = Object.entries(version.subresources ?? {}).map(([name, subresource]) => ({
    name: `${names.plural}/${name}`,
    singularName: '',
    namespaced,
    ...foreignVersion(version, subresource),
    kind: subresource.kind?.kind ?? version.kind,
    verbs: sortVerbs(subresource.verbs),
  }))
  return { own, subresources: dialect.discoveredSubresources(subresources) }
}

/** Group and version of a subresource whose kind is of another group or version, such as Scale and Eviction. */
const foreignVersion = (parent: Version, { kind }: Subresource) =>
  kind && (kind.group !== parent.group || kind.version !== parent.name) && { group: kind.group, version: kind.version }

const sortVerbs = (verbs: readonly string[]): string[] => [...verbs].sort()

const storageHash = ({ version }: NonNullable<ResourceDefinition['storage']>): string => storageVersionHash(version)

/** Returns the first eight bytes of the SHA-256 of the stored `group/version/kind`, in base64. */
export const storageVersionHash = ({ group, name, kind }: Pick<Version, 'group' | 'name' | 'kind'>): string =>
  createHash('sha256').update(`${group}/${name}/${kind}`).digest().subarray(0, 8).toString('base64')

/** Returns the groups with their versions, preferred first. The core group has the empty name. */
export function listGroups(snapshot: CatalogSnapshot): ListedGroups {
  const groups = new Map<string, ListedVersion[]>()
  for (const groupVersion of snapshot.servedGroupVersions()) {
    const { group, version } = parseApiVersion(groupVersion) ?? { group: '', version: groupVersion }
    const entry = { name: version, groupVersion }
    const list = groups.get(group)
    if (list) list.push(entry)
    else groups.set(group, [entry])
  }
  return groups
}
