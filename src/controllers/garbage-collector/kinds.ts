import type { Catalog } from '../../catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../../catalog/definition.ts'
import type { ResourceId } from '../../catalog/resource-access.ts'

/** Resource of a kind. */
export interface OwnerKind {
  readonly id: ResourceId
  readonly namespaced: boolean
}

const EVENT_GROUPS = ['', 'events.k8s.io']

/**
 * Whether the collector tracks the resource: everything that can be listed, watched and deleted, except events, which
 * are many and own nothing.
 */
export function isCollected({ storage, internal, hub }: ResourceDefinition): boolean {
  if (storage === undefined || internal || (hub.names.plural === 'events' && EVENT_GROUPS.includes(hub.group))) return false
  return ['list', 'watch', 'delete'].every(verb => hub.verbs.includes(verb))
}

/**
 * Returns the version in which the collector names objects of a resource: the hub if it is served, or else the first
 * served one. Objects could not be found by a version that is not served.
 */
export const trackedVersion = ({ hub, versions }: ResourceDefinition): Version =>
  versions.find(({ group, name }) => group === hub.group && name === hub.name) ?? versions[0] ?? hub

/** Resolves kinds of owner references to resources. Cached per catalog generation. */
export class OwnerKinds {
  readonly #catalog: Catalog
  #generation = -1
  #known = new Map<string, OwnerKind>()

  constructor(catalog: Catalog) {
    this.#catalog = catalog
  }

  /** Returns the resource of a kind in any served version. Undefined if the kind is not served or not stored. */
  find(apiVersion: string, kind: string): OwnerKind | undefined {
    const { generation } = this.#catalog.snapshot()
    if (this.#generation !== generation) {
      this.#known = new Map()
      this.#generation = generation
    }
    const key = `${apiVersion} ${kind}`
    const known = this.#known.get(key)
    if (known) return known
    const found = this.#look(apiVersion, kind)
    if (found) this.#known.set(key, found)
    return found
  }

  /** Finds the resource of a stored kind in the catalog. */
  #look(apiVersion: string, kind: string): OwnerKind | undefined {
    const served = this.#catalog
      .snapshot()
      .resourcesOf(apiVersion)
      .find(({ definition, version }) => version.kind === kind && definition.storage !== undefined)
    if (!served) return undefined
    const { group, names } = served.version
    return { id: { group, resource: names.plural }, namespaced: served.definition.scope === 'Namespaced' }
  }
}
