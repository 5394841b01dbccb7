import { decodedObject, type KubeObject } from '../api/meta/object.ts'
import { apiVersionOfVersion, type ServedResource } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { eachAtOnce } from '../lib/each-at-once.ts'
import { isStatusError } from '../meta/status.ts'
import { decode } from '../schema/decode.ts'
import type { StoredObject } from '../storage/storage.ts'
import { conversionOf } from './conversion/conversion-of.ts'
import { createObject } from './create.ts'
import { type DeleteResult, deleteCorrupt, deleteObject, warnOfOrphans } from './delete.ts'
import type { DeletionOptions } from './deletion-step.ts'
import type { ListOptions, ListResult } from './read.ts'
import { ResourceReader, statused } from './resource-reader.ts'
import type { RegistryEnvironment, RequestResult, StoreParts, WriteTarget } from './types.ts'
import { type UpdateRequest, updateObject } from './update.ts'

/** Page size and concurrency of a DELETE of a collection. */
const DELETE_COLLECTION_PAGE = 1000
const DELETE_COLLECTION_WORKERS = 16

/**
 * The generic store of one resource: all verbs, over its storage, with its strategy. Objects of requests and responses
 * are in the version of the request. Errors are StatusErrors.
 */
export class ResourceStore extends ResourceReader implements StoreParts {
  readonly env: RegistryEnvironment

  constructor(env: RegistryEnvironment, served: ServedResource) {
    super(env, served.definition)
    this.env = env
  }

  /** Creates an object, which is decoded in the version of the request. Takes ownership of it. */
  async create(target: WriteTarget, object: KubeObject): Promise<RequestResult> {
    const answer = await createObject(this, target, object)
    const following = this.#afterWrite(target, answer)
    if (following) await following
    return answerIn(target, answer)
  }

  /** Updates an object, or creates it if the request or the kind allows that. `created` reports which. */
  async update(target: WriteTarget, request: UpdateRequest): Promise<{ answer: RequestResult; created: boolean }> {
    const { answer, created } = await updateObject(this, target, request)
    const following = this.#afterWrite(target, answer)
    if (following) await following
    return { answer: await answerIn(target, answer), created }
  }

  /** Calls the environment's hook after a write. Returns undefined if the response need not wait. */
  #afterWrite({ served }: WriteTarget, answer: RequestResult): Promise<void> | undefined {
    return 'stored' in answer ? this.env.afterWrite?.(served.definition, answer.stored.attributes().name) : undefined
  }

  /** Deletes an object, or starts its deletion. Returns its last state in the version of the request. */
  async delete(target: WriteTarget, options: DeletionOptions): Promise<DeleteResult> {
    const result = await deleteObject(this, target, options)
    const { definition, version } = target.served
    return { ...result, object: result.blank ? blankObject(version) : await conversionOf(definition).fromHooks(result.object, version) }
  }

  /** Deletes a corrupt object without reading it. Throws 422 if it can be read. */
  deleteCorrupt(target: WriteTarget): Promise<void> {
    return deleteCorrupt(this, target)
  }

  /**
   * Deletes the selected objects, 16 at a time. Not atomic: stops at the first error. Returns the selected objects as
   * they were before.
   */
  async deleteCollection(target: WriteTarget, options: DeletionOptions, selection: ListOptions): Promise<ListResult> {
    warnOfOrphans(target, options)
    const items: StoredObject[] = []
    let token = selection.continue
    // As upstream, a selection is listed in one page, from the cache. Collections without a selector are listed in
    // pages.
    const isAtOnce = this.isCached && (selection.labels.length > 0 || selection.fields.length > 0)
    const limit = selection.limit > 0 || isAtOnce ? selection.limit : DELETE_COLLECTION_PAGE
    for (;;) {
      const page = await this.list(target.served, target.namespace, { ...selection, limit, continue: token }, target.ctx.signal)
      // `push(...items)` fails if a page has more items than a call may have arguments.
      for (const item of page.items) items.push(item)
      await this.#deleteAll(target, options, page.items)
      token = page.continue
      if (token === '' || selection.limit > 0) return { ...page, items }
    }
  }

  async #deleteAll(target: WriteTarget, options: DeletionOptions, items: readonly StoredObject[]): Promise<void> {
    await eachAtOnce(items, DELETE_COLLECTION_WORKERS, async item => {
      const { namespace, name } = item.attributes()
      try {
        await this.delete({ ...target, namespace, name, ofCollection: true }, options)
      } catch (error) {
        if (!isStatusError(error, 'NotFound')) throw error
      }
    })
  }
}

/** The empty object of a version, with its type. */
const blankObject = (version: Version): KubeObject =>
  decodedObject({ kind: version.kind, apiVersion: apiVersionOfVersion(version), ...decode(version.schema, {}) })

/** Converts the result of a write to the version of the request. */
const answerIn = (target: WriteTarget, answer: RequestResult): Awaitable<RequestResult> =>
  statused(target.served, target.name, 'update', conversionOf(target.served.definition).answer(target, answer))
