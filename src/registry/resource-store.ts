import { apiVersionOfVersion, type ServedResource } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import { decodedObject, type KubeObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import { decode } from '../schema/decode.ts'
import type { Storage, StoredObject, Watcher } from '../storage/storage.ts'
import type { ConversionView, Converted } from './conversion.ts'
import { conversionOf } from './conversion-of.ts'
import { createObject } from './create.ts'
import { type DeleteResult, deleteCorrupt, deleteObject } from './delete.ts'
import type { DeleteOptions } from './deletion-step.ts'
import { toStatus } from './errors.ts'
import { type KeySpace, keySpace } from './keys.ts'
import { getObject, type ListOptions, type ListResult, listObjects, watchObjects } from './read.ts'
import { type Answer, groupResourceOf, type RegistryEnvironment, type StoreParts, type WriteTarget } from './types.ts'
import { type UpdateRequest, updateObject } from './update.ts'

const DELETE_COLLECTION_PAGE = 1000
const DELETE_COLLECTION_WORKERS = 16

/**
 * The generic registry of one resource: every verb, over its storage, with its strategy. What comes and goes is in the version of the request.
 * Failures are StatusErrors.
 */
export class ResourceStore implements StoreParts {
  readonly storage: Storage
  readonly keys: KeySpace
  readonly env: RegistryEnvironment

  constructor(env: RegistryEnvironment, served: ServedResource) {
    this.env = env
    this.keys = keySpace(env.etcdPrefix, served.definition)
    this.storage = env.storageFor(served.definition)
  }

  async get(served: ServedResource, namespace: string, name: string, resourceVersion: string, signal: AbortSignal): Promise<StoredObject> {
    const stored = await getObject(this.storage, this.keys, groupResourceOf(served), namespace, name, resourceVersion, signal)
    return statused(served, name, 'get', conversionOf(served.definition).view(served.version).object(stored))
  }

  async list(served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<ListResult> {
    const read = (page: ListOptions) => listObjects(this.storage, this.keys, groupResourceOf(served), namespace, page, signal)
    return statused(served, '', 'list', conversionOf(served.definition).view(served.version).list(read, this.keys.prefix(namespace), options))
  }

  watch(served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<Watcher> {
    return this.watchAs(conversionOf(served.definition).view(served.version), served, namespace, options, signal)
  }

  /** As `watch`, of objects in whichever version is at hand: for those who look at metadata alone. */
  watchMetadata(served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<Watcher> {
    return this.watchAs(conversionOf(served.definition).metadataView(served.version), served, namespace, options, signal)
  }

  private watchAs(view: ConversionView, served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<Watcher> {
    return view.watch(wanted => watchObjects(this.storage, this.keys, served, namespace, wanted, signal), options)
  }

  async create(target: WriteTarget, object: KubeObject): Promise<Answer> {
    return answerIn(target, await createObject(this, target, object))
  }

  async update(target: WriteTarget, request: UpdateRequest): Promise<{ answer: Answer; created: boolean }> {
    const { answer, created } = await updateObject(this, target, request)
    return { answer: await answerIn(target, answer), created }
  }

  async delete(target: WriteTarget, options: DeleteOptions): Promise<DeleteResult> {
    const result = await deleteObject(this, target, options)
    const { definition, version } = target.served
    return { ...result, object: result.blank ? blankObject(version) : conversionOf(definition).fromHooks(result.object, version) }
  }

  /** Deletes an object that can't be read, unread: nothing is checked but that. */
  deleteCorrupt(target: WriteTarget): Promise<void> {
    return deleteCorrupt(this, target)
  }

  /** Deletes what the options select, several at a time. Not atomic: it ends at the first failure. Returns what was selected. */
  async deleteCollection(target: WriteTarget, options: DeleteOptions, selection: ListOptions): Promise<ListResult> {
    const items: StoredObject[] = []
    let token = selection.continue
    for (;;) {
      const page = await this.list(
        target.served,
        target.namespace,
        { ...selection, limit: selection.limit > 0 ? selection.limit : DELETE_COLLECTION_PAGE, continue: token },
        target.ctx.signal,
      )
      items.push(...page.items)
      await this.deleteAll(target, options, page.items)
      token = page.continue
      if (token === '' || selection.limit > 0) return { ...page, items }
    }
  }

  private async deleteAll(target: WriteTarget, options: DeleteOptions, items: readonly StoredObject[]): Promise<void> {
    const queue = items.values()
    const worker = async () => {
      for (const item of queue) {
        const { namespace, name } = item.attributes()
        try {
          await this.delete({ ...target, namespace, name, ofCollection: true }, options)
        } catch (error) {
          if (!isStatusError(error, 'NotFound')) throw error
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(DELETE_COLLECTION_WORKERS, items.length) }, worker))
  }
}

const blankObject = (version: Version): KubeObject =>
  decodedObject({ kind: version.kind, apiVersion: apiVersionOfVersion(version), ...decode(version.schema, {}) })

/** What fails with a ConversionError fails as a client is told it. */
function statused<T>(served: ServedResource, name: string, verb: string, converting: Converted<T>): Converted<T> {
  if (!(converting instanceof Promise)) return converting
  return converting.catch(error => Promise.reject(toStatus(error, groupResourceOf(served), name, verb)))
}

const answerIn = (target: WriteTarget, answer: Answer): Converted<Answer> =>
  statused(target.served, target.name, 'update', conversionOf(target.served.definition).answer(target, answer))
