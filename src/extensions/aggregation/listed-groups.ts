import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import type { ForeignVersion, ListedGroups, ListedVersion } from '../../endpoints/aggregator.ts'
import { compareText } from '../../lib/compare-text.ts'
import { apiVersionOf, compareVersionNames, parseApiVersion } from '../../meta/gvk.ts'
import { BUILTIN_PRIORITIES, CUSTOM_PRIORITY } from '../../resources/apiregistration/priorities.ts'
import type { Registration } from './registration.ts'

/** A group version with its priority. */
interface GroupVersionEntry {
  readonly group: string
  readonly version: string
  /** Name of its APIService. */
  readonly service: string
  readonly groupPriority: number
  readonly versionPriority: number
  readonly foreign?: ForeignVersion
}

const OWN_GROUP = 'apiregistration.k8s.io'
/** Sorts before all others, whose priority is at most 20,000. This group has no APIService. */
const OWN_PRIORITY = { group: 20_001, version: 0 }
const UNDISCOVERED: ForeignVersion = { resources: [], freshness: 'Stale' }

/** Input of group lists. */
export interface Listing {
  readonly snapshot: CatalogSnapshot
  readonly registrations: Iterable<Registration>
  /** Whether the APIService of a built-in group version was deleted. */
  isRemoved(name: string): boolean
  /** Returns the discovery of an APIService's server. Undefined before the first response. */
  foreignVersion(name: string): ForeignVersion | undefined
}

/**
 * Groups of `/apis`: APIServices of all servers by priority, and locally served group versions that have no APIService
 * yet. A built-in group version whose APIService was deleted is not listed until the next start. Source:
 * SortedByGroupAndVersion of k8s.io/kube-aggregator.
 */
export function listedGroups(listing: Listing): ListedGroups {
  const entries = [...registered(listing), ...unregistered(listing)]
  return grouped(entries.sort((a, b) => b.groupPriority - a.groupPriority || compareText(a.service, b.service)))
}

/**
 * Groups of aggregated discovery: local ones by the priorities of the release, others by their APIServices. Source:
 * resourceManager of k8s.io/apiserver, pkg/endpoints/discovery/aggregated.
 */
export function discoveredGroups(listing: Listing): ListedGroups {
  const foreign = registered(listing).filter(entry => entry.foreign)
  const taken = new Set(foreign.map(groupVersionKey))
  const entries = [...foreign, ...localGroupVersions(listing.snapshot).filter(entry => !taken.has(groupVersionKey(entry)))]
  const priorities = new Map<string, number>()
  for (const { group, groupPriority } of entries) priorities.set(group, Math.max(groupPriority, priorities.get(group) ?? 0))
  return grouped(entries.sort((a, b) => (priorities.get(b.group) ?? 0) - (priorities.get(a.group) ?? 0) || compareText(a.group, b.group)))
}

const groupVersionKey = ({ group, version }: Pick<GroupVersionEntry, 'group' | 'version'>): string => apiVersionOf({ group, version })

/** Group versions of APIServices. Undiscovered ones of other servers are Stale. */
const registered = ({ registrations, foreignVersion }: Listing): GroupVersionEntry[] =>
  [...registrations].map(({ name, group, version, groupPriority, versionPriority, backend }) => ({
    group,
    version,
    service: name,
    groupPriority,
    versionPriority,
    ...(backend && { foreign: foreignVersion(name) ?? UNDISCOVERED }),
  }))

function unregistered({ snapshot, registrations, isRemoved }: Listing): GroupVersionEntry[] {
  const known = new Set([...registrations].map(groupVersionKey))
  return localGroupVersions(snapshot).filter(entry => !known.has(groupVersionKey(entry)) && !isRemoved(entry.service))
}

/** Locally served group versions. */
const localGroupVersions = (snapshot: CatalogSnapshot): GroupVersionEntry[] =>
  snapshot.servedGroupVersions().map(groupVersion => {
    const { group, version } = parseApiVersion(groupVersion) ?? { group: '', version: groupVersion }
    const priority = group === OWN_GROUP ? OWN_PRIORITY : (BUILTIN_PRIORITIES[groupVersion] ?? CUSTOM_PRIORITY)
    return { group, version, service: `${version}.${group}`, groupPriority: priority.group, versionPriority: priority.version }
  })

/** Groups entries in order of first appearance. The preferred version of each group comes first. */
function grouped(entries: readonly GroupVersionEntry[]): ListedGroups {
  const groups = new Map<string, GroupVersionEntry[]>()
  for (const entry of entries) {
    const group = groups.get(entry.group)
    if (group) group.push(entry)
    else groups.set(entry.group, [entry])
  }
  return new Map([...groups].map(([group, versions]) => [group, versions.sort(byPreference).map(listed)]))
}

const byPreference = (a: GroupVersionEntry, b: GroupVersionEntry): number =>
  b.versionPriority - a.versionPriority || compareVersionNames(a.version, b.version)

const listed = ({ group, version, foreign }: GroupVersionEntry): ListedVersion => ({
  name: version,
  groupVersion: apiVersionOf({ group, version }),
  ...(foreign && { foreign }),
})
