import type { KubeObject } from '../api/meta/object.ts'
import type { ServedResource } from '../catalog/catalog.ts'
import type { ResourceDefinition } from '../catalog/definition.ts'
import { type Awaitable, all, recover } from '../lib/awaitable.ts'
import { tooManyRequestsError } from '../meta/status.ts'
import type { Storage, StoredObject, Watcher } from '../storage/storage.ts'
import { conversionOf } from './conversion/conversion-of.ts'
import { ConversionError, toStatus } from './errors.ts'
import { type KeySpace, keySpace } from './keys.ts'
import { getObject, type ListOptions, type ListResult, listObjects, watchObjects } from './read.ts'
import { groupResourceOf, type RegistryEnvironment } from './types.ts'

/** The part of the environment that reads need. */
export type ReadEnvironment = Pick<RegistryEnvironment, 'etcdPrefix' | 'storageFor'>

/** The read verbs of one resource. Objects are in the version of the request. Errors are StatusErrors. */
export class ResourceReader {
  readonly storage: Storage
  readonly keys: KeySpace

  constructor(env: ReadEnvironment, definition: ResourceDefinition) {
    this.keys = keySpace(env.etcdPrefix, definition)
    this.storage = env.storageFor(definition)
  }

  /** Whether reads are served from the watch cache. */
  get isCached(): boolean {
    return this.storage.cached
  }

  /**
   * Returns an object that is at least as new as `resourceVersion`: the latest if it is empty, any if it is 0. Throws
   * 404 if it does not exist.
   */
  async get(served: ServedResource, namespace: string, name: string, resourceVersion: string, signal: AbortSignal): Promise<StoredObject> {
    const stored = await getObject(this, groupResourceOf(served), { namespace, name }, resourceVersion, signal)
    const view = conversionOf(served.definition).view(served.version)
    return statused(served, name, 'get', resourceVersion === '' ? view.object(stored) : view.cachedObject(stored))
  }

  /**
   * Returns an object from the watch cache. It is shared and must not be changed. Undefined if the cache has no such
   * object, is not populated, or does not exist.
   */
  cachedObject({ definition, version }: ServedResource, namespace: string, name: string): Awaitable<KubeObject> | undefined {
    const stored = this.storage.cachedObject(this.keys.object(namespace, name))
    return stored && conversionOf(definition).cachedObjectIn(version, stored)
  }

  /**
   * Returns the objects of a namespace from the watch cache, or all if it is empty. Undefined if the cache is not
   * populated or does not exist.
   */
  cachedObjects({ definition, version }: ServedResource, namespace: string): Awaitable<readonly KubeObject[]> | undefined {
    const stored = this.storage.cachedObjects(this.keys.prefix(namespace))
    const objects = stored?.map(each => conversionOf(definition).cachedObjectIn(version, each))
    return objects && all(objects)
  }

  /** Lists the objects of a namespace, or of all if it is empty, by pages. Items are shared and must not be changed. */
  async list(served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<ListResult> {
    const read = (page: ListOptions) => listObjects(this, groupResourceOf(served), namespace, page, signal)
    const view = conversionOf(served.definition).view(served.version)
    const list = () => view.list(read, this.keys.prefix(namespace), options)
    const { fill } = view
    if (fill === undefined || !this.isCached || options.limit !== 0) return statused(served, '', 'list', list())
    const filledList = fill.all(() => this.storage.cachedObjects(this.keys.prefix(''))).then(() => fill.attempt(namespace, list))
    return statused(served, '', 'list', filled(served, filledList))
  }

  /** Opens a watch of a namespace, or of all if it is empty. The caller must close the watcher, or abort the signal. */
  async watch(served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<Watcher> {
    const view = conversionOf(served.definition).view(served.version)
    if (this.isCached && view.fill)
      await filled(
        served,
        view.fill.all(() => this.storage.cachedObjects(this.keys.prefix(''))),
      )
    return view.watch(wanted => watchObjects(this, served, namespace, wanted, signal), options)
  }

  /**
   * `watch` without conversion, for callers that read only metadata, which is the same in all versions. The selector
   * may have only fields of metadata.
   */
  watchMetadata(served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<Watcher> {
    return watchObjects(this, served, namespace, options, signal)
  }
}

/** Translates a ConversionError to 429. Upstream cannot fill the watch cache of the version, so clients must retry. */
async function filled<T>({ version }: ServedResource, filling: Promise<T>): Promise<T> {
  try {
    return await filling
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    const kind = `${version.group}/${version.name}, Kind=${version.kind}`
    throw tooManyRequestsError(`storage is (re)initializing: failed to list ${kind}: ${error.message}`, 1)
  }
}

/** Translates the errors of a conversion to StatusErrors. */
export function statused<T>(served: ServedResource, name: string, verb: string, converting: Awaitable<T>): Awaitable<T> {
  return recover(converting, error => Promise.reject(toStatus(error, { gr: groupResourceOf(served), name, verb })))
}
