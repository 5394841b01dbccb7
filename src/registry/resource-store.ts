import { apiVersionOfVersion, type ServedResource } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import { eachAtOnce } from '../lib/each-at-once.ts'
import { decodedObject, type KubeObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import { decode } from '../schema/decode.ts'
import type { StoredObject } from '../storage/storage.ts'
import type { Converted } from './conversion.ts'
import { conversionOf } from './conversion-of.ts'
import { createObject } from './create.ts'
import { type DeleteResult, deleteCorrupt, deleteObject, warnOfOrphans } from './delete.ts'
import type { DeleteOptions } from './deletion-step.ts'
import type { ListOptions, ListResult } from './read.ts'
import { ResourceReader, statused } from './resource-reader.ts'
import type { Answer, RegistryEnvironment, StoreParts, WriteTarget } from './types.ts'
import { type UpdateRequest, updateObject } from './update.ts'

const DELETE_COLLECTION_PAGE = 1000
const DELETE_COLLECTION_WORKERS = 16

/**
 * The generic registry of one resource: every verb, over its storage, with its strategy. What comes and goes is in the version of the request.
 * Failures are StatusErrors.
 */
export class ResourceStore extends ResourceReader implements StoreParts {
  readonly env: RegistryEnvironment

  constructor(env: RegistryEnvironment, served: ServedResource) {
    super(env, served.definition)
    this.env = env
  }

  async create(target: WriteTarget, object: KubeObject): Promise<Answer> {
    const answer = await createObject(this, target, object)
    const following = this.afterWrite(target, answer)
    if (following) await following
    return answerIn(target, answer)
  }

  async update(target: WriteTarget, request: UpdateRequest): Promise<{ answer: Answer; created: boolean }> {
    const { answer, created } = await updateObject(this, target, request)
    const following = this.afterWrite(target, answer)
    if (following) await following
    const shown = answerIn(target, answer)
    return { answer: shown instanceof Promise ? await shown : shown, created }
  }

  /** Undefined: there is nothing to wait for. */
  private afterWrite({ served }: WriteTarget, answer: Answer): Promise<void> | undefined {
    return 'stored' in answer ? this.env.afterWrite?.(served.definition, answer.stored.attributes().name) : undefined
  }

  async delete(target: WriteTarget, options: DeleteOptions): Promise<DeleteResult> {
    const result = await deleteObject(this, target, options)
    const { definition, version } = target.served
    return { ...result, object: result.blank ? blankObject(version) : await conversionOf(definition).fromHooks(result.object, version) }
  }

  /** Deletes an object that can't be read, unread: nothing is checked but that. */
  deleteCorrupt(target: WriteTarget): Promise<void> {
    return deleteCorrupt(this, target)
  }

  /** Deletes what the options select, several at a time. Not atomic: it ends at the first failure. Returns what was selected. */
  async deleteCollection(target: WriteTarget, options: DeleteOptions, selection: ListOptions): Promise<ListResult> {
    warnOfOrphans(target, options)
    const items: StoredObject[] = []
    let token = selection.continue
    // As upstream: what a selector picks is listed at once, which the cache serves; other collections are listed in pages.
    const isAtOnce = this.isCached && (selection.labels.length > 0 || selection.fields.length > 0)
    const limit = selection.limit > 0 || isAtOnce ? selection.limit : DELETE_COLLECTION_PAGE
    for (;;) {
      const page = await this.list(target.served, target.namespace, { ...selection, limit, continue: token }, target.ctx.signal)
      // One by one: a client may ask for a page of more items than a call takes arguments.
      for (const item of page.items) items.push(item)
      await this.deleteAll(target, options, page.items)
      token = page.continue
      if (token === '' || selection.limit > 0) return { ...page, items }
    }
  }

  private async deleteAll(target: WriteTarget, options: DeleteOptions, items: readonly StoredObject[]): Promise<void> {
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

const blankObject = (version: Version): KubeObject =>
  decodedObject({ kind: version.kind, apiVersion: apiVersionOfVersion(version), ...decode(version.schema, {}) })

const answerIn = (target: WriteTarget, answer: Answer): Converted<Answer> =>
  statused(target.served, target.name, 'update', conversionOf(target.served.definition).answer(target, answer))
