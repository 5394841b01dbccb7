import type { JsonObject, TypedObject } from '../../src/api/meta/object.ts'
import type {
  ApiClient,
  DeletePreconditions,
  ListQuery,
  ObjectList,
  ObjectName,
  ResourceKind,
  WatchedChange,
} from '../../src/clients/api-client.ts'
import { objectKey } from '../../src/clients/api-client.ts'
import { conflictError, expiredError, notFoundError } from '../../src/meta/status.ts'

interface Logged {
  readonly resource: string
  readonly change: WatchedChange<TypedObject>
}

interface OpenWatch {
  readonly resource: string
  take(change: WatchedChange<TypedObject>): void
  end(): void
}

/**
 * A client of objects in memory, whose watches a test can cut and whose history it can drop. Knows no defaults, no
 * validation and no namespaces.
 */
export class FakeApiClient implements ApiClient {
  readonly calls: string[] = []
  readonly #objects = new Map<string, Map<string, TypedObject>>()
  readonly #watches = new Set<OpenWatch>()
  #log: Logged[] = []
  #revision = 1
  #oldest = 0
  /** Kinds that `kindsOf` returns, of all groups. */
  kinds: readonly ResourceKind<TypedObject>[] = []
  /** Rejects the next calls of a method with errors, in order. */
  readonly failures: Partial<Record<'list' | 'watch' | 'create' | 'patch' | 'apply' | 'update' | 'delete', Error[]>> = {}

  /** Ends all watches, as a connection that breaks. */
  cut(): void {
    for (const watch of [...this.#watches]) watch.end()
  }

  /** Drops the history, so that a watch of an earlier version is rejected with 410. */
  compact(): void {
    this.#log = []
    this.#oldest = ++this.#revision
  }

  async get<T extends TypedObject>(kind: ResourceKind<T>, namespace: string, name: string): Promise<T> {
    this.#call('get', kind, name)
    return this.#existing(kind, namespace, name)
  }

  async list<T extends TypedObject>(kind: ResourceKind<T>, _query?: ListQuery): Promise<ObjectList<T>> {
    this.#call('list', kind)
    return { items: [...this.#of(kind).values()] as T[], resourceVersion: String(this.#revision) }
  }

  async watch<T extends TypedObject>(
    kind: ResourceKind<T>,
    { resourceVersion }: { readonly resourceVersion: string },
    signal: AbortSignal,
    handle: (change: WatchedChange<T>) => undefined | Promise<void>,
  ): Promise<void> {
    this.#call('watch', kind, resourceVersion)
    if (Number(resourceVersion) < this.#oldest) throw expiredError('too old resource version')
    const past = this.#log.filter(
      ({ resource, change }) => resource === kind.resource && Number(change.resourceVersion) > Number(resourceVersion),
    )
    for (const { change } of past) await handle(change as WatchedChange<T>)
    await new Promise<void>(resolve => {
      const watch: OpenWatch = {
        resource: kind.resource,
        take: oneAfterTheOther(change => handle(change as WatchedChange<T>)),
        end: () => {
          this.#watches.delete(watch)
          resolve()
        },
      }
      this.#watches.add(watch)
      signal.addEventListener('abort', watch.end)
    })
  }

  async create<T extends TypedObject>(kind: ResourceKind<T>, object: T): Promise<T> {
    this.#call('create', kind, object.metadata.name ?? object.metadata.generateName)
    const revision = this.#revision + 1
    const { generateName } = object.metadata
    const name = object.metadata.name ?? `${generateName}${revision}`
    const made = { ...object, metadata: { uid: `uid-${revision}`, ...object.metadata, name } }
    return this.#put(kind, made, 'added')
  }

  async update<T extends TypedObject>(kind: ResourceKind<T>, object: T, subresource = ''): Promise<T> {
    const { namespace = '', name = '', resourceVersion } = object.metadata
    this.#call('update', kind, name, subresource)
    const old = this.#existing(kind, namespace, name)
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) throw conflictError(kind, name, 'it was changed')
    return this.#put(kind, object, 'modified')
  }

  async patch<T extends TypedObject>(kind: ResourceKind<T>, { namespace, name }: ObjectName, patch: JsonObject): Promise<T> {
    this.#call('patch', kind, name)
    const old = this.#existing(kind, namespace, name)
    const { metadata, ...rest } = patch
    return this.#put(kind, { ...old, ...rest, metadata: { ...old.metadata, ...(metadata as object) } }, 'modified')
  }

  async apply<T extends TypedObject>(
    kind: ResourceKind<T>,
    { namespace, name, subresource = '' }: ObjectName,
    configuration: JsonObject,
  ): Promise<T> {
    this.#call('apply', kind, name, subresource)
    const old = this.#existing(kind, namespace, name)
    const { metadata, ...rest } = configuration
    return this.#put(kind, { ...old, ...rest, metadata: { ...old.metadata, ...(metadata as object) } }, 'modified')
  }

  async delete(kind: ResourceKind<TypedObject>, namespace: string, name: string, _options?: DeletePreconditions): Promise<void> {
    this.#call('delete', kind, name)
    const old = this.#existing(kind, namespace, name)
    this.#of(kind).delete(objectKey(old))
    const resourceVersion = String(++this.#revision)
    this.#send(kind, { type: 'deleted', object: { ...old, metadata: { ...old.metadata, resourceVersion } }, resourceVersion })
  }

  async post(kind: ResourceKind<TypedObject>, { name, subresource }: Required<ObjectName>): Promise<void> {
    this.#call('post', kind, name, subresource)
  }

  async kindsOf(group: string): Promise<readonly ResourceKind<TypedObject>[]> {
    return this.kinds.filter(kind => kind.group === group)
  }

  #call(method: string, kind: ResourceKind<TypedObject>, ...more: (string | undefined)[]): void {
    this.calls.push([method, kind.resource, ...more].filter(part => part !== undefined && part !== '').join(' '))
    const failure = Object.entries(this.failures)
      .find(([name]) => name === method)?.[1]
      ?.shift()
    if (failure) throw failure
  }

  #of(kind: ResourceKind<TypedObject>): Map<string, TypedObject> {
    const objects = this.#objects.get(kind.resource) ?? new Map<string, TypedObject>()
    this.#objects.set(kind.resource, objects)
    return objects
  }

  #existing<T extends TypedObject>(kind: ResourceKind<T>, namespace: string, name: string): T {
    const found = this.#of(kind).get(namespace === '' ? name : `${namespace}/${name}`)
    if (!found) throw notFoundError(kind, name)
    return found as T
  }

  #put<T extends TypedObject>(kind: ResourceKind<T>, object: T, type: 'added' | 'modified'): T {
    const resourceVersion = String(++this.#revision)
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion } }
    this.#of(kind).set(objectKey(stored), stored)
    this.#send(kind, { type, object: stored, resourceVersion })
    return stored
  }

  #send(kind: ResourceKind<TypedObject>, change: WatchedChange<TypedObject>): void {
    this.#log.push({ resource: kind.resource, change })
    for (const watch of [...this.#watches]) if (watch.resource === kind.resource) watch.take(change)
  }
}

/** Calls a function for each value at once, or after the promise that it has returned for the one before. */
function oneAfterTheOther<T>(handle: (value: T) => undefined | Promise<void>): (value: T) => void {
  const waiting: T[] = []
  let isHandling = false
  return value => {
    waiting.push(value)
    if (isHandling) return
    const next = (): void => {
      isHandling = false
      for (let first = waiting.shift(); first !== undefined; first = waiting.shift()) {
        const handling = handle(first)
        if (handling === undefined) continue
        isHandling = true
        void handling.then(next)
        return
      }
    }
    next()
  }
}
