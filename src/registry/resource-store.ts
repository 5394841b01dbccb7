import type { ServedResource } from '../catalog/catalog.ts'
import { apiVersionOfVersion } from '../catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import { clone } from '../meta/equal.ts'
import type { KubeObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import { decode } from '../schema/decode.ts'
import type { Storage, StoredObject, Watcher } from '../storage/storage.ts'
import { copyIn, versionsOf } from './convert.ts'
import { createObject } from './create.ts'
import { applyKindDefaults } from './decode-object.ts'
import type { DeleteResult } from './delete.ts'
import { deleteCorrupt, deleteObject } from './delete.ts'
import type { DeleteOptions } from './deletion-step.ts'
import { toStatus } from './errors.ts'
import type { KeySpace } from './keys.ts'
import { keySpace } from './keys.ts'
import type { ListOptions, ListResult } from './read.ts'
import { getObject, listObjects, predicateOf, watchObjects } from './read.ts'
import { throughStore } from './remote-conversion.ts'
import { listSelected, selectsByContent, watchSelected, withoutContentTerms } from './remote-selection.ts'
import { type RemoteView, remoteViewOf } from './remote-view.ts'
import type { Answer, RegistryEnvironment, WriteTarget } from './types.ts'
import { groupResourceOf } from './types.ts'
import type { UpdateRequest } from './update.ts'
import { updateObject } from './update.ts'
import { storedTerms, viewOf } from './version-view.ts'

const DELETE_COLLECTION_PAGE = 1000
const DELETE_COLLECTION_WORKERS = 16

/**
 * The generic registry of one resource: every verb, over its storage, with its strategy. What comes and goes is in the version of the request; hooks and admission see the home version, or
 * that of the request where somebody else converts the kind.
 * Failures are StatusErrors.
 */
export class ResourceStore {
  readonly storage: Storage
  readonly keys: KeySpace
  private readonly env: RegistryEnvironment

  constructor(env: RegistryEnvironment, served: ServedResource) {
    this.env = env
    this.keys = keySpace(env.etcdPrefix, served.definition)
    this.storage = env.storageFor(served.definition)
  }

  async get(served: ServedResource, namespace: string, name: string, resourceVersion: string, signal: AbortSignal): Promise<StoredObject> {
    const stored = await getObject(this.storage, this.keys, groupResourceOf(served), namespace, name, resourceVersion, signal)
    const remote = remoteViewOf(served.definition, served.version)
    if (remote) return statused(served, name, 'get', remote.object(stored))
    return viewOf(served.definition, served.version)?.object(stored) ?? stored
  }

  async list(served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<ListResult> {
    const remote = remoteViewOf(served.definition, served.version)
    if (remote) return statused(served, '', 'list', this.listRemotely(remote, served, namespace, options, signal))
    const result = await listObjects(this.storage, this.keys, groupResourceOf(served), namespace, withStoredTerms(served, options), signal)
    const view = viewOf(served.definition, served.version)
    return view ? { ...result, items: result.items.map(item => view.object(item)) } : result
  }

  async watch(served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<Watcher> {
    const remote = remoteViewOf(served.definition, served.version)
    if (remote) {
      const predicate = predicateOf(options.labels, options.fields)
      const watcher = await watchObjects(this.storage, this.keys, served, namespace, withoutContentTerms(options), signal)
      return selectsByContent(options) ? watchSelected(remote, watcher, predicate) : remote.watcher(watcher)
    }
    const watcher = await watchObjects(this.storage, this.keys, served, namespace, withStoredTerms(served, options), signal)
    return viewOf(served.definition, served.version)?.watcher(watcher) ?? watcher
  }

  private async listRemotely(remote: RemoteView, served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<ListResult> {
    const list = (page: ListOptions) => listObjects(this.storage, this.keys, groupResourceOf(served), namespace, page, signal)
    if (selectsByContent(options)) return listSelected(remote, this.keys.prefix(namespace), list, options)
    const result = await list(options)
    return { ...result, items: await remote.objects(result.items) }
  }

  /** As `watch`, of objects in whichever version they are stored: for those who look at metadata alone. */
  watchStored(served: ServedResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<Watcher> {
    if (served.definition.converter === undefined) return this.watch(served, namespace, options, signal)
    return watchObjects(this.storage, this.keys, served, namespace, options, signal)
  }

  async create(target: WriteTarget, object: KubeObject): Promise<Answer> {
    return answerIn(target, await createObject(this.env, this.storage, this.keys, target, object))
  }

  async update(target: WriteTarget, request: UpdateRequest): Promise<{ answer: Answer; created: boolean }> {
    const { answer, created } = await updateObject(this.env, this.storage, this.keys, target, request)
    const shown = answerIn(target, answer)
    return { answer: shown instanceof Promise ? await shown : shown, created }
  }

  async delete(target: WriteTarget, options: DeleteOptions): Promise<DeleteResult> {
    const result = await deleteObject(this.env, this.storage, this.keys, target, options)
    const { definition, version } = target.served
    if (definition.converter && !result.blank) return result
    return { ...result, object: result.blank ? blankObject(version) : copyIn(definition, result.object, version) }
  }

  /** Deletes an object that can't be read, unread: nothing is checked but that. */
  deleteCorrupt(target: WriteTarget): Promise<void> {
    return deleteCorrupt(this.storage, this.keys, target)
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
  ({ kind: version.kind, apiVersion: apiVersionOfVersion(version), ...decode(version.schema, {}) }) as unknown as KubeObject

/** As if it had been stored and read again: with the defaults of the stored version. */
function notStored(definition: ResourceDefinition, version: Version, object: KubeObject): KubeObject {
  const stored = definition.storage?.version
  if (stored === undefined || versionsOf(definition).size === 1) return object
  return copyIn(definition, applyKindDefaults(stored, copyIn(definition, clone(object), stored)), version)
}

/** What fails with a ConversionError fails as a client is told it. */
const statused = <T>(served: ServedResource, name: string, verb: string, converting: Promise<T>): Promise<T> =>
  converting.catch(error => Promise.reject(toStatus(error, groupResourceOf(served), name, verb)))

async function answerRemotely(remote: RemoteView, { served, dryRun }: WriteTarget, answer: Answer): Promise<Answer> {
  if ('stored' in answer) return { stored: await remote.object(answer.stored) }
  // What is gone is told as it was.
  return dryRun ? { object: await throughStore(served.definition, served.version, answer.object) } : answer
}

function answerIn(target: WriteTarget, answer: Answer): Answer | Promise<Answer> {
  const { definition, version } = target.served
  const remote = remoteViewOf(definition, version)
  if (remote) return statused(target.served, target.name, 'update', answerRemotely(remote, target, answer))
  if ('object' in answer) return { object: notStored(definition, version, answer.object) }
  const view = viewOf(definition, version)
  return view ? { stored: view.object(answer.stored) } : answer
}

const withStoredTerms = ({ version }: ServedResource, options: ListOptions): ListOptions =>
  version.fieldAliases === undefined ? options : { ...options, fields: storedTerms(version, options.fields) }
