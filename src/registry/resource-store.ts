import type { ServedResource } from '../catalog/catalog.ts'
import type { KubeObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import type { Storage, StoredObject, Watcher } from '../storage/storage.ts'
import { createObject } from './create.ts'
import type { DeleteOptions, DeleteResult } from './delete.ts'
import { deleteObject } from './delete.ts'
import type { KeySpace } from './keys.ts'
import { keySpace } from './keys.ts'
import type { ListOptions, ListResult } from './read.ts'
import { getObject, listObjects, watchObjects } from './read.ts'
import type { Answer, RegistryEnvironment, WriteTarget } from './types.ts'
import { groupResourceOf } from './types.ts'
import type { UpdateRequest } from './update.ts'
import { updateObject } from './update.ts'

const DELETE_COLLECTION_PAGE = 1000
const DELETE_COLLECTION_WORKERS = 16

/** The generic registry of one resource: every verb, over its storage, with its strategy. Failures are StatusErrors. */
export class ResourceStore {
  readonly storage: Storage
  readonly keys: KeySpace
  private readonly env: RegistryEnvironment

  constructor(env: RegistryEnvironment, served: ServedResource) {
    this.env = env
    this.keys = keySpace(env.etcdPrefix, served.definition)
    this.storage = env.storageFor(served.definition)
  }

  get(served: ServedResource, namespace: string, name: string, resourceVersion: string, signal: AbortSignal): Promise<StoredObject> {
    return getObject(this.storage, this.keys, groupResourceOf(served), namespace, name, resourceVersion, signal)
  }

  list(served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<ListResult> {
    return listObjects(this.storage, this.keys, groupResourceOf(served), namespace, options, signal)
  }

  watch(served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<Watcher> {
    return watchObjects(this.storage, this.keys, served, namespace, options, signal)
  }

  create(target: WriteTarget, object: KubeObject): Promise<Answer> {
    return createObject(this.env, this.storage, this.keys, target, object)
  }

  update(target: WriteTarget, request: UpdateRequest): Promise<{ answer: Answer; created: boolean }> {
    return updateObject(this.env, this.storage, this.keys, target, request)
  }

  delete(target: WriteTarget, options: DeleteOptions): Promise<DeleteResult> {
    return deleteObject(this.env, this.storage, this.keys, target, options)
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
          await this.delete({ ...target, namespace, name }, options)
        } catch (error) {
          if (!isStatusError(error, 'NotFound')) throw error
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(DELETE_COLLECTION_WORKERS, items.length) }, worker))
  }
}
