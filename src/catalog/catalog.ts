import type { GroupVersion } from '../api/meta/v1.types.ts'
import { invariant } from '../lib/invariant.ts'
import { type Deprecation, deprecationIn } from '../lifecycle/lifecycle.ts'
import type { Release } from '../lifecycle/release.ts'
import { apiVersionOf } from '../meta/gvk.ts'
import type { ResourceDefinition, Subresource, Version } from './definition.ts'
import { compareVersions, groupRank } from './group-order.ts'

/** A resource type in one of its served versions. */
export interface ServedResource {
  readonly definition: ResourceDefinition
  readonly version: Version
  /** Optional. Set if the release has deprecated the version. */
  readonly deprecation?: Deprecation
}

/** The set of kinds at one point in time. Immutable: a request uses one snapshot throughout. */
export class CatalogSnapshot {
  /** Number of the snapshot, from 1. It increases with each change of the catalog. */
  readonly generation: number
  /** All definitions, including internal ones, which have no path. */
  readonly definitions: readonly ResourceDefinition[]
  /** Undefined if no version is deprecated. */
  readonly release: Release | undefined
  readonly #byResource = new Map<string, ServedResource>()
  readonly #byGroupResource = new Map<string, ResourceDefinition>()
  readonly #groupVersions = new Map<string, ServedResource[]>()
  readonly #ordered: readonly string[]

  /** Without a release no version is deprecated. */
  constructor(generation: number, definitions: readonly ResourceDefinition[], release?: Release) {
    this.generation = generation
    this.definitions = definitions
    this.release = release
    for (const definition of definitions) {
      for (const { group, names } of [definition.hub, ...definition.versions])
        this.#byGroupResource.set(`${group}/${names.plural}`, definition)
      if (definition.internal) continue
      for (const version of definition.versions) {
        const id = `${version.group}/${version.name}/${version.names.plural}`
        invariant(!this.#byResource.has(id), `resource ${id} is defined twice`)
        const groupVersion = apiVersionOfVersion(version)
        const deprecation = deprecationOf(version, groupVersion, release)
        const served = { definition, version, ...(deprecation && { deprecation }) }
        this.#byResource.set(id, served)
        const list = this.#groupVersions.get(groupVersion)
        if (list) list.push(served)
        else this.#groupVersions.set(groupVersion, [served])
      }
    }
    const found = [...this.#groupVersions].flatMap(([groupVersion, [first]]) => (first ? [{ groupVersion, version: first.version }] : []))
    this.#ordered = inDiscoveryOrder(found, release)
  }

  /** Finds a served version by the segments of its path. */
  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#byResource.get(`${group}/${version}/${resource}`)
  }

  /** Finds a definition by its plural name and any of its groups, whatever its hub version is. */
  definition(group: string, resource: string): ResourceDefinition | undefined {
    return this.#byGroupResource.get(`${group}/${resource}`)
  }

  /** Returns `v1`, `apps/v1` and so on, in discovery order. */
  servedGroupVersions(): readonly string[] {
    return this.#ordered
  }

  /** Returns the resources of a group version, such as `apps/v1`. Empty if it is not served. */
  resourcesOf(groupVersion: string): readonly ServedResource[] {
    return this.#groupVersions.get(groupVersion) ?? []
  }

  /** Finds a served version by its kind. */
  ofKind(version: GroupVersion, kind: string): ServedResource | undefined {
    return this.resourcesOf(apiVersionOf(version)).find(({ version }) => version.kind === kind)
  }
}

/** Sorts groups by rank, with unranked ones last in their original order, and versions of a group by preference. */
function inDiscoveryOrder(
  found: readonly { readonly groupVersion: string; readonly version: Version }[],
  release: Release | undefined,
): string[] {
  const groups = [...new Set(found.map(({ version }) => version.group))].sort((a, b) => groupRank(a, release) - groupRank(b, release))
  const rank = new Map(groups.map((group, i) => [group, i]))
  const rankOf = ({ group }: Version): number => rank.get(group) ?? groups.length
  return [...found]
    .sort(({ version: a }, { version: b }) => rankOf(a) - rankOf(b) || compareVersions(a, b))
    .map(({ groupVersion }) => groupVersion)
}

/** Returns the deprecation of a version in this release, or undefined. */
function deprecationOf({ kind, deprecationWarning }: Version, groupVersion: string, release: Release | undefined): Deprecation | undefined {
  if (deprecationWarning !== undefined) return { warning: deprecationWarning, removedRelease: '' }
  return release && deprecationIn(release, groupVersion, kind)
}

/** Returns the kind of lists of a version's objects. */
export const listKindOf = ({ kind, listKind = `${kind}List` }: Version): string => listKind

/** The live set of kinds. Only `main.ts` and the extensions change it. */
export class Catalog {
  #current: CatalogSnapshot
  readonly #release: Release | undefined
  readonly #listeners = new Set<(snapshot: CatalogSnapshot) => void>()

  /** Without a release no version is deprecated. */
  constructor(definitions: readonly ResourceDefinition[], release?: Release) {
    this.#release = release
    this.#current = new CatalogSnapshot(1, definitions, release)
  }

  /** Returns the present set of kinds. */
  snapshot(): CatalogSnapshot {
    return this.#current
  }

  /** Replaces all definitions. Requests in progress keep the snapshot that they began with. */
  replace(definitions: readonly ResourceDefinition[]): void {
    this.#current = new CatalogSnapshot(this.#current.generation + 1, definitions, this.#release)
    for (const listener of this.#listeners) listener(this.#current)
  }

  /** Calls the listener after each change. Returns a function that ends the subscription. */
  subscribe(listener: (snapshot: CatalogSnapshot) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** Returns `v1`, `apps/v1` and so on. */
export const apiVersionOfVersion = ({ group, name }: Version): string => apiVersionOf({ group, version: name })

/** Returns a subresource by name, ignoring members of the prototype such as `constructor`. */
export const subresourceOf = (version: Version, name: string): Subresource | undefined =>
  version.subresources !== undefined && Object.hasOwn(version.subresources, name) ? version.subresources[name] : undefined
