import type { Catalog, CatalogSnapshot, ServedResource } from '../catalog/catalog.ts'
import type { ListAccess, ResourceAccess, ResourceDefinition, ResourceId } from '../catalog/definition.ts'
import { mapInSlices } from '../lib/slices.ts'
import { parseFieldSelector } from '../meta/field-selector.ts'
import { parseLabelSelector } from '../meta/label-selector.ts'
import type { KubeObject } from '../meta/object.ts'
import { notFoundError } from '../meta/status.ts'
import type { StoredObject } from '../storage/storage.ts'
import type { Converted } from './conversion.ts'
import type { ListOptions } from './read.ts'
import { type ReadEnvironment, ResourceReader } from './resource-reader.ts'

/** Reads of the server itself: no authentication, no authorization. */
export type ReadAccess = Pick<ResourceAccess, 'resourceOf' | 'get' | 'list'>

/** What an id stands for while a snapshot is the present one. */
interface Known {
  readonly snapshot: CatalogSnapshot
  readonly served: ServedResource
  readonly reader: ResourceReader
}

/**
 * Reads of all stored resources. Admission reads through it, so that it exists before the registry, whose writes ask admission.
 */
export class RegistryReader {
  private readonly catalog: Catalog
  private readonly env: ReadEnvironment
  private readonly readers = new WeakMap<ResourceDefinition, ResourceReader>()
  private readonly byId = new WeakMap<ResourceId, Known>()
  readonly access: ReadAccess

  constructor(catalog: Catalog, env: ReadEnvironment) {
    this.catalog = catalog
    this.env = env
    this.access = readAccess(this.catalog, served => this.reader(served), new AbortController().signal)
  }

  /** As ResourceReader.cachedObject, in the hub version. Throws NotFound for a resource that is not served. */
  cachedObject(id: ResourceId, namespace: string, name: string): Converted<KubeObject> | undefined {
    const { served, reader } = this.known(id)
    return reader.cachedObject(served, namespace, name)
  }

  /** As ResourceReader.cachedObjects, in the hub version. Throws NotFound for a resource that is not served. */
  cachedObjects(id: ResourceId, namespace: string): Converted<readonly KubeObject[]> | undefined {
    const { served, reader } = this.known(id)
    return reader.cachedObjects(served, namespace)
  }

  /** By the identity of the id, as admission asks by the same few for every write. */
  private known(id: ResourceId): Known {
    const snapshot = this.catalog.snapshot()
    let known = this.byId.get(id)
    if (known?.snapshot !== snapshot) {
      const served = servedById(this.catalog, id)
      known = { snapshot, served, reader: this.reader(served) }
      this.byId.set(id, known)
    }
    return known
  }

  reader({ definition }: ServedResource): ResourceReader {
    let reader = this.readers.get(definition)
    if (!reader) {
      reader = new ResourceReader(this.env, definition)
      this.readers.set(definition, reader)
    }
    return reader
  }

  /** The objects of a namespace as the cache has them, or where there is none the store; nothing is decoded. `fresh`: none is older than the call. */
  async listStored(id: ResourceId, namespace: string, signal: AbortSignal, fresh = false): Promise<readonly StoredObject[]> {
    const served = servedById(this.catalog, id)
    return (await this.reader(served).list(served, namespace, listOptions({ resourceVersion: fresh ? '' : '0' }), signal)).items
  }
}

/** The resource, in its hub version. Throws NotFound if it is not served. */
export function servedById(catalog: Catalog, id: ResourceId): ServedResource {
  const definition = catalog.snapshot().definition(id.group, id.resource)
  if (!definition) throw notFoundError(id, '')
  return { definition, version: definition.hub }
}

/** In-process reads of any resource, in its hub version. Objects are shared: their readers never mutate them. */
export const readAccess = (catalog: Catalog, readerOf: (served: ServedResource) => ResourceReader, signal: AbortSignal): ReadAccess => ({
  resourceOf: (version, kind) => {
    const served = catalog.snapshot().ofKind(version, kind)
    return served && { group: version.group, resource: served.version.names.plural }
  },
  get: async (id, namespace, name, options) => {
    const served = servedById(catalog, id)
    return (await readerOf(served).get(served, namespace, name, options?.resourceVersion ?? '', signal)).object()
  },
  list: async (id, namespace, options) => {
    const served = servedById(catalog, id)
    const list = await readerOf(served).list(served, namespace, listOptions(options), signal)
    // Each is parsed: ten thousand at once would hold the event loop for 70 ms.
    return { items: await mapInSlices(list.items, item => item.object()), resourceVersion: list.resourceVersion }
  },
})

/** What a list of the server itself selects, as options of a list that is not paged. Throws a SelectorError. */
export const listOptions = (access: ListAccess | undefined): ListOptions => ({
  labels: access?.labelSelector ? parseLabelSelector(access.labelSelector) : [],
  fields: access?.fieldSelector ? parseFieldSelector(access.fieldSelector) : [],
  resourceVersion: access?.resourceVersion ?? '',
  resourceVersionMatch: '',
  limit: 0,
  continue: '',
  allowWatchBookmarks: false,
})
