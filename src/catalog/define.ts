import type { KubeObject, TypedObject } from '../meta/object.ts'
import type { ObjectReader } from './connect.ts'
import type { AccessEvent, KindDefinition, ListAccess, ResourceAccess, ResourceDefinition, ResourceId, Subresource } from './definition.ts'

/** A kind as the catalog holds it, among kinds of other types. */
export const defineResource = <H extends TypedObject>(definition: KindDefinition<H>): ResourceDefinition => widened(definition)

/** A subresource of a kind of its own, `S`, as its parent holds it beside others. */
export const defineSubresource = <H extends TypedObject, S extends TypedObject>(subresource: Subresource<H, S>): Subresource<H> => widened(subresource)

/** A built-in kind, with the type of its objects in the hub version: what the server itself reads of it is of that type. */
export interface KindId<T extends TypedObject> extends ResourceId {
  /** Of no object: it only says the type. */
  readonly objectType?: T
}

/** A resource whose objects have the type `T`. */
export const kindId = <T extends TypedObject>(group: string, resource: string): KindId<T> => ({ group, resource })

/** An object that is known to be of the kind, as that of a request that is about it. */
export const asKind = <T extends TypedObject>(_kind: KindId<T>, object: KubeObject): T => widened(object)

/** As ResourceAccess.get; the object may be shared: never mutate it. */
export const getKind = <T extends TypedObject>(
  api: ObjectReader,
  id: KindId<T>,
  namespace: string,
  name: string,
  options?: { readonly resourceVersion?: string },
): Promise<T> => widened(api.get(id, namespace, name, options))

/** The items of ResourceAccess.list. */
export const listKind = async <T extends TypedObject>(
  api: Pick<ResourceAccess, 'list'>,
  id: KindId<T>,
  namespace: string,
  options?: ListAccess,
): Promise<T[]> => widened((await api.list(id, namespace, options)).items)

/** Reads what the watch cache has, without waiting for it to have more. */
export interface CacheReader {
  cachedObject(id: ResourceId, namespace: string, name: string): KubeObject | Promise<KubeObject> | undefined
  cachedObjects(id: ResourceId, namespace: string): readonly KubeObject[] | Promise<readonly KubeObject[]> | undefined
}

/** As CacheReader.cachedObject; the object may be shared: never mutate it. */
export const cachedKind = <T extends TypedObject>(cache: CacheReader, id: KindId<T>, namespace: string, name: string): T | Promise<T> | undefined =>
  widened(cache.cachedObject(id, namespace, name))

/** As CacheReader.cachedObjects; the objects may be shared: never mutate them. */
export const cachedKinds = <T extends TypedObject>(cache: CacheReader, id: KindId<T>, namespace: string): readonly T[] | Promise<readonly T[]> | undefined =>
  widened(cache.cachedObjects(id, namespace))

/** Which object a write is about. `subresource`: absent for the object itself. */
export interface ObjectPlace {
  readonly namespace: string
  readonly name: string
  readonly subresource?: string
}

/** As ResourceAccess.update. */
export const updateKind = async <T extends TypedObject>(
  api: ResourceAccess,
  id: KindId<T>,
  { namespace, name, subresource }: ObjectPlace,
  change: (object: T) => T | undefined,
): Promise<T> => widened(await api.update(id, namespace, name, object => change(widened(object)), subresource === undefined ? {} : { subresource }))

/** As ResourceAccess.watch, in all namespaces. */
export const watchKind = <T extends TypedObject>(
  api: ResourceAccess,
  id: KindId<T>,
  signal: AbortSignal,
  handle: (event: AccessEvent<T>) => undefined | Promise<void>,
  options: Parameters<ResourceAccess['watch']>[4] = {},
): Promise<void> => api.watch(id, '', signal, event => handle(widened(event)), options)

/**
 * Hooks are given only what was decoded and defaulted by the schema of the version or kind that they are written against, and what the server itself reads was decoded by that of the hub version.
 * That an object is of their type is therefore the schema's word, and this is the one place that takes it.
 */
const widened = <T>(definition: unknown): T => definition as T
