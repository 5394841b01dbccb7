import type { KubeObject } from '../api/meta/object.ts'
import type { Catalog, CatalogSnapshot, ServedResource } from '../catalog/catalog.ts'
import type { ResourceDefinition } from '../catalog/definition.ts'
import type { ListAccess, ResourceAccess, ResourceId } from '../catalog/resource-access.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { mapInSlices } from '../lib/slices.ts'
import { parseFieldSelector } from '../meta/field-selector.ts'
import { parseLabelSelector } from '../meta/label-selector.ts'
import { notFoundError } from '../meta/status.ts'
import type { StoredObject } from '../storage/storage.ts'
import type { ListOptions } from './read.ts'
import { objectInTurns } from './ready-object.ts'
import { type ReadEnvironment, ResourceReader } from './resource-reader.ts'

/** Reads of the server itself: no authentication, no authorization. */
export type ReadAccess = Pick<ResourceAccess, 'resourceOf' | 'get' | 'list'>

/** Resolution of a resource id. Valid while the catalog has the snapshot. */
interface LastRead {
  readonly snapshot: CatalogSnapshot
  readonly served: ServedResource
  readonly reader: ResourceReader
}

/**
 * Reads of all stored resources. Admission plugins read through it: they are created before the registry, which depends
 * on admission.
 */
export class RegistryReader {
  readonly #catalog: Catalog
  readonly #env: ReadEnvironment
  readonly #readers = new WeakMap<ResourceDefinition, ResourceReader>()
  readonly #byId = new WeakMap<ResourceId, LastRead>()
  readonly access: ReadAccess

  constructor(catalog: Catalog, env: ReadEnvironment) {
    this.#catalog = catalog
    this.#env = env
    this.access = readAccess(this.#catalog, served => this.reader(served), new AbortController().signal)
  }

  /** `ResourceReader.cachedObject` in the hub version. Throws NotFound if the resource is not served. */
  cachedObject(id: ResourceId, namespace: string, name: string): Awaitable<KubeObject> | undefined {
    const { served, reader } = this.#known(id)
    return reader.cachedObject(served, namespace, name)
  }

  /** `ResourceReader.cachedObjects` in the hub version. Throws NotFound if the resource is not served. */
  cachedObjects(id: ResourceId, namespace: string): Awaitable<readonly KubeObject[]> | undefined {
    const { served, reader } = this.#known(id)
    return reader.cachedObjects(served, namespace)
  }

  /** Resolves an id. Cached by the identity of the id object: admission uses the same few for every write. */
  #known(id: ResourceId): LastRead {
    const snapshot = this.#catalog.snapshot()
    let known = this.#byId.get(id)
    if (known?.snapshot !== snapshot) {
      const served = servedById(this.#catalog, id)
      known = { snapshot, served, reader: this.reader(served) }
      this.#byId.set(id, known)
    }
    return known
  }

  /** Returns the reader of a resource, which is made on first use. */
  reader({ definition }: ServedResource): ResourceReader {
    let reader = this.#readers.get(definition)
    if (!reader) {
      reader = new ResourceReader(this.#env, definition)
      this.#readers.set(definition, reader)
    }
    return reader
  }

  /**
   * Lists the stored objects of a namespace without decoding them, from the cache if the resource has one. `fresh`: the
   * list includes every write that was acknowledged before the call.
   */
  async listStored(id: ResourceId, namespace: string, signal: AbortSignal, fresh = false): Promise<readonly StoredObject[]> {
    const served = servedById(this.#catalog, id)
    return (await this.reader(served).list(served, namespace, listOptions({ resourceVersion: fresh ? '' : '0' }), signal)).items
  }
}

/** Returns a resource in its hub version. Throws NotFound if it is not served. */
export function servedById(catalog: Catalog, id: ResourceId): ServedResource {
  const definition = catalog.snapshot().definition(id.group, id.resource)
  if (!definition) throw notFoundError(id, '')
  return { definition, version: definition.hub }
}

/** In-process reads of all resources in their hub versions. Objects are shared and must not be changed. */
export const readAccess = (catalog: Catalog, readerOf: (served: ServedResource) => ResourceReader, signal: AbortSignal): ReadAccess => ({
  resourceOf: (version, kind) => {
    const served = catalog.snapshot().ofKind(version, kind)
    return served && { group: version.group, resource: served.version.names.plural }
  },
  get: async (id, namespace, name, options) => {
    const served = servedById(catalog, id)
    return objectInTurns(await readerOf(served).get(served, namespace, name, options?.resourceVersion ?? '', signal))
  },
  list: async (id, namespace, options) => {
    const served = servedById(catalog, id)
    const list = await readerOf(served).list(served, namespace, listOptions(options), signal)
    // Each object is parsed. 10,000 in one turn would block the event loop for 70 ms.
    return { items: await mapInSlices(list.items, item => item.object()), resourceVersion: list.resourceVersion }
  },
})

/** Returns the options of an in-process list, which is not paged. Throws a SelectorError. */
export const listOptions = (access: ListAccess | undefined): ListOptions => ({
  labels: access?.labelSelector ? parseLabelSelector(access.labelSelector) : [],
  fields: access?.fieldSelector ? parseFieldSelector(access.fieldSelector) : [],
  resourceVersion: access?.resourceVersion ?? '',
  resourceVersionMatch: '',
  limit: 0,
  continue: '',
  allowWatchBookmarks: false,
})
