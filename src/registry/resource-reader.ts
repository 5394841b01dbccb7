import type { ServedResource } from '../catalog/catalog.ts'
import type { ResourceDefinition } from '../catalog/definition.ts'
import type { KubeObject } from '../meta/object.ts'
import { tooManyRequestsError } from '../meta/status.ts'
import type { Storage, StoredObject, Watcher } from '../storage/storage.ts'
import { allConverted, type Converted } from './conversion.ts'
import { conversionOf } from './conversion-of.ts'
import { ConversionError, toStatus } from './errors.ts'
import { type KeySpace, keySpace } from './keys.ts'
import { getObject, type ListOptions, type ListResult, listObjects, watchObjects } from './read.ts'
import { groupResourceOf, type RegistryEnvironment } from './types.ts'

/** What reads need of the environment: neither admission nor a clock. */
export type ReadEnvironment = Pick<RegistryEnvironment, 'etcdPrefix' | 'storageFor'>

/** The verbs of one resource that change nothing. Objects are in the version of the request; failures are StatusErrors. */
export class ResourceReader {
  readonly storage: Storage
  readonly keys: KeySpace

  constructor(env: ReadEnvironment, definition: ResourceDefinition) {
    this.keys = keySpace(env.etcdPrefix, definition)
    this.storage = env.storageFor(definition)
  }

  /** Whether it is read through the watch cache. */
  get isCached(): boolean {
    return this.storage.cached
  }

  async get(served: ServedResource, namespace: string, name: string, resourceVersion: string, signal: AbortSignal): Promise<StoredObject> {
    const stored = await getObject(this, groupResourceOf(served), { namespace, name }, resourceVersion, signal)
    const view = conversionOf(served.definition).view(served.version)
    return statused(served, name, 'get', resourceVersion === '' ? view.object(stored) : view.cachedObject(stored))
  }

  /** The present object as the watch cache has it, read in the version; shared. Undefined where it has none, and without a cache that can say. */
  cachedObject({ definition, version }: ServedResource, namespace: string, name: string): Converted<KubeObject> | undefined {
    const stored = this.storage.cachedObject(this.keys.object(namespace, name))
    return stored && conversionOf(definition).cachedObjectIn(version, stored)
  }

  /** The same of all objects, or of those of a namespace where one is given. */
  cachedObjects({ definition, version }: ServedResource, namespace: string): Converted<readonly KubeObject[]> | undefined {
    const stored = this.storage.cachedObjects(this.keys.prefix(namespace))
    const objects = stored?.map(each => conversionOf(definition).cachedObjectIn(version, each))
    return objects && allConverted(objects)
  }

  async list(served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<ListResult> {
    const read = (page: ListOptions) => listObjects(this, groupResourceOf(served), namespace, page, signal)
    const view = conversionOf(served.definition).view(served.version)
    const list = () => view.list(read, this.keys.prefix(namespace), options)
    const { fill } = view
    if (fill === undefined || !this.isCached || options.limit !== 0) return statused(served, '', 'list', list())
    const filledList = fill.all(() => this.storage.cachedObjects(this.keys.prefix(''))).then(() => fill.attempt(namespace, list))
    return statused(served, '', 'list', filled(served, filledList))
  }

  async watch(served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<Watcher> {
    const view = conversionOf(served.definition).view(served.version)
    if (this.isCached && view.fill)
      await filled(
        served,
        view.fill.all(() => this.storage.cachedObjects(this.keys.prefix(''))),
      )
    return view.watch(wanted => watchObjects(this, served, namespace, wanted, signal), options)
  }

  /** As `watch`, of objects as they are stored: for those who look at metadata alone, which is the same in all versions. A selector names no field but those of metadata. */
  watchMetadata(served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<Watcher> {
    return watchObjects(this, served, namespace, options, signal)
  }
}

/** A conversion that fails keeps upstream's watch cache of the version from being filled: what the cache would serve is to be tried again. */
async function filled<T>({ version }: ServedResource, filling: Promise<T>): Promise<T> {
  try {
    return await filling
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    const kind = `${version.group}/${version.name}, Kind=${version.kind}`
    throw tooManyRequestsError(`storage is (re)initializing: failed to list ${kind}: ${error.message}`, 1)
  }
}

/** What fails with a ConversionError fails with the Status for clients. */
export function statused<T>(served: ServedResource, name: string, verb: string, converting: Converted<T>): Converted<T> {
  if (!(converting instanceof Promise)) return converting
  return converting.catch(error => Promise.reject(toStatus(error, { gr: groupResourceOf(served), name, verb })))
}
