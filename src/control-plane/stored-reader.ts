import type { Catalog, CatalogSnapshot } from '../catalog/catalog.ts'
import type { ResourceDefinition } from '../catalog/definition.ts'
import { type Key, key } from '../storage/revision.ts'
import type { ReadAt, StoredObject } from '../storage/storage.ts'
import type { StoreService } from './store-service.ts'

/** The object that a key of the store refers to. */
export interface StoredLocation {
  readonly definition: ResourceDefinition
  /** API path in the stored version, or in another served version if that one is not served. */
  readonly path: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** Reads objects by their keys in the store. */
export class StoredReader {
  readonly #catalog: Catalog
  readonly #stores: StoreService
  readonly #etcdPrefix: string
  #known: { readonly snapshot: CatalogSnapshot; readonly byPrefix: ReadonlyMap<string, ResourceDefinition> } | undefined

  constructor(catalog: Catalog, stores: StoreService, etcdPrefix: string) {
    this.#catalog = catalog
    this.#stores = stores
    this.#etcdPrefix = etcdPrefix
  }

  /** Returns the object that a key refers to. Undefined if the key is not one of an object of a served kind. */
  place(of: Key): StoredLocation | undefined {
    const prefixes = this.#prefixes()
    for (let slash = of.lastIndexOf('/'), segments = 1; slash > 0 && segments <= 2; slash = of.lastIndexOf('/', slash - 1), segments++) {
      const definition = prefixes.get(of.slice(0, slash + 1))
      if (definition === undefined || (definition.scope === 'Namespaced') !== (segments === 2)) continue
      const [last = '', first = ''] = of
        .slice(slash + 1)
        .split('/')
        .toReversed()
      return storedLocation(definition, first, last)
    }
    return undefined
  }

  /** Reads the object at a revision. Throws StorageError. */
  read({ definition }: StoredLocation, of: Key, at: ReadAt, signal: AbortSignal): Promise<StoredObject | undefined> {
    return this.#stores.storageFor(definition).get(of, at, signal)
  }

  /** Definitions by key prefix, for the current catalog. */
  #prefixes(): ReadonlyMap<string, ResourceDefinition> {
    const snapshot = this.#catalog.snapshot()
    if (this.#known?.snapshot !== snapshot) {
      const byPrefix = new Map(
        snapshot.definitions.flatMap(each => (each.storage ? [[key(`${this.#etcdPrefix}/${each.storage.prefix}/`), each] as const] : [])),
      )
      this.#known = { snapshot, byPrefix }
    }
    return this.#known.byPrefix
  }
}

/** Place of an object, in its stored version if that is served. */
function storedLocation(definition: ResourceDefinition, namespace: string, name: string): StoredLocation {
  const stored = definition.storage?.version
  const { group, name: version, names } = definition.versions.find(each => each === stored) ?? definition.versions[0] ?? definition.hub
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const path = [root, ...(namespace === '' ? [] : ['namespaces', namespace]), names.plural, name].join('/')
  return { definition, path, group, version, resource: names.plural, namespace, name }
}
