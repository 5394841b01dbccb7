import type { KubeObject, TypedObject } from '../api/meta/object.ts'
import type { ObjectReader } from './connect.ts'
import type { KindDefinition, ResourceDefinition, Subresource } from './definition.ts'
import type { AccessEvent, ListAccess, ResourceAccess, ResourceId, WriteOptions } from './resource-access.ts'

/** Converts the definition of a kind to the type that the catalog holds. */
export const defineResource = <H extends TypedObject>(definition: KindDefinition<H>): ResourceDefinition => widened(definition)

/** Converts a subresource with a kind of its own, `S`, to the type that its parent holds. */
export const defineSubresource = <H extends TypedObject, S extends TypedObject>(subresource: Subresource<H, S>): Subresource<H> =>
  widened(subresource)

/** Identifies a built-in kind, with the type of its objects in the hub version. */
export interface KindId<T extends TypedObject> extends ResourceId {
  /** Never set: it only carries the type. */
  readonly objectType?: T
}

/** Creates the ID of a resource whose objects have the type `T`. */
export const kindId = <T extends TypedObject>(group: string, resource: string): KindId<T> => ({ group, resource })

/** Gives an object that is known to be of the kind its type, such as the object of a request for that resource. */
export const asKind = <T extends TypedObject>(_kind: KindId<T>, object: KubeObject): T => widened(object)

/** Calls ResourceAccess.get. The object may be shared and must not be changed. */
export const getKind = <T extends TypedObject>(
  api: ObjectReader,
  id: KindId<T>,
  namespace: string,
  name: string,
  options?: { readonly resourceVersion?: string },
): Promise<T> => widened(api.get(id, namespace, name, options))

/** Calls ResourceAccess.list and returns the items. */
export const listKind = async <T extends TypedObject>(
  api: Pick<ResourceAccess, 'list'>,
  id: KindId<T>,
  namespace: string,
  options?: ListAccess,
): Promise<T[]> => widened((await api.list(id, namespace, options)).items)

/** Reads the current contents of the watch cache, without waiting for a newer revision. */
export interface CacheReader {
  /** Returns an object of the cache, in turns if it is large. Undefined if there is none, or no populated cache. */
  cachedObject(id: ResourceId, namespace: string, name: string): KubeObject | Promise<KubeObject> | undefined
  /** Returns the objects of a namespace. Undefined if there is no populated cache, or if they are many. */
  cachedObjects(id: ResourceId, namespace: string): readonly KubeObject[] | Promise<readonly KubeObject[]> | undefined
}

/** Calls CacheReader.cachedObject. The object may be shared and must not be changed. */
export const cachedKind = <T extends TypedObject>(
  cache: CacheReader,
  id: KindId<T>,
  namespace: string,
  name: string,
): T | Promise<T> | undefined => widened(cache.cachedObject(id, namespace, name))

/** Calls CacheReader.cachedObjects. The objects may be shared and must not be changed. */
export const cachedKinds = <T extends TypedObject>(
  cache: CacheReader,
  id: KindId<T>,
  namespace: string,
): readonly T[] | Promise<readonly T[]> | undefined => widened(cache.cachedObjects(id, namespace))

/** Names the object of a write. */
export interface ObjectLocation extends WriteOptions {
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
}

/** Calls ResourceAccess.update. */
export const updateKind = async <T extends TypedObject>(
  api: ResourceAccess,
  id: KindId<T>,
  { namespace, name, ...options }: ObjectLocation,
  change: (object: T) => T | undefined,
): Promise<T> => widened(await api.update(id, namespace, name, object => change(widened(object)), options))

/** Calls ResourceAccess.watch, for all namespaces. */
export const watchKind = <T extends TypedObject>(
  api: ResourceAccess,
  id: KindId<T>,
  signal: AbortSignal,
  handle: (event: AccessEvent<T>) => undefined | Promise<void>,
  { namespace = '', ...options }: Parameters<ResourceAccess['watch']>[4] & { readonly namespace?: string } = {},
): Promise<void> => api.watch(id, namespace, signal, event => handle(widened(event)), options)

/**
 * Narrows or widens a type without a check. Hooks are called only with objects that the schema of their version or kind
 * has decoded and defaulted, and reads by the server return objects that the schema of the hub version has decoded.
 * That an object has the declared type follows from its schema, which only this function assumes.
 */
const widened = <T>(definition: unknown): T => definition as T
