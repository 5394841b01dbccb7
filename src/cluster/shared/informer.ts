import type { TypedObject } from '../../api/meta/object.ts'
import { type ApiClient, objectKey, type ResourceKind, type Selection, type WatchedChange } from '../../clients/api-client.ts'
import { systemClock, type TimerClock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { type Logger, silentLogger } from '../../lib/log.ts'
import { pause } from '../../lib/pause.ts'
import { eachInSlices } from '../../lib/slices.ts'
import { runInTurns } from '../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { hasFewValues } from '../../meta/few-values.ts'
import { shareMembers } from '../../meta/share-parts.ts'
import { shareUnchanged } from '../../meta/share-unchanged.ts'
import { StatusError } from '../../meta/status.ts'
import { type IndexFunction, type ObjectReader, ObjectStore } from './object-store.ts'
import { keepSelector } from './selectors.ts'

/** Delays after a list or watch that failed, in milliseconds. The delay doubles up to the last one. */
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [50, 10_000]

/**
 * Most objects that a handler gets in one turn, at some microseconds each. A limit by number and not by time, so that
 * small clusters repeat exactly with a seed.
 */
const AT_ONCE = 4000

/** Callbacks of an informer. They are called one after the other, when the store has the new state. */
export interface InformerHandler<T extends TypedObject> {
  added?(object: T): void
  /** Called instead of `added` for objects that were in the store when the handler was added. Optional. */
  existing?(object: T): void
  /** Called if the resource version has changed. */
  updated?(object: T, old: T): void
  /** @param object its last known state. */
  deleted?(object: T): void
  /**
   * Optional. Computes in steps what `added` and `updated` need of a large object. Called before them, when the store
   * has the new state, and before `existing` if there are so many objects that `onGradually` takes several turns. Small
   * objects are not prepared.
   */
  prepare?(object: T): Generator<undefined>
}

export interface InformerOptions<T extends TypedObject = TypedObject> extends Selection {
  /**
   * Optional. Called once for each object before it is stored. Returns what is stored and reported instead, such as the
   * object without large members that are never read. Must not change the object, which may be shared.
   */
  readonly transform?: (object: T) => T
  /** Optional. Clock of the delays between retries. Default: the system's. */
  readonly clock?: TimerClock
  readonly logger?: Logger
}

/**
 * Keeps a copy of the objects of a kind, and reports each change once. Continues a watch that was cut at the last seen
 * resource version. If that is too old (410), or the server rejects it, the objects are listed again, and the
 * differences are reported as changes. There is no periodic resync: a handler is never called without a change.
 */
export class Informer<T extends TypedObject> {
  readonly #client: ApiClient
  readonly #kind: ResourceKind<T>
  readonly #selection: Selection
  readonly #clock: TimerClock
  readonly #logger: Logger
  readonly #transform: (object: T) => T
  readonly #store = new ObjectStore<T>()
  /** The small object that was stored last. Objects of a kind have much in common, such as pods of one template. */
  #latest: T | undefined
  readonly #handlers = new Set<InformerHandler<T>>()
  readonly #synced: Promise<void>
  #resolveSynced = (): void => {}
  #hasSynced = false
  /** Version to watch from. Undefined if the objects must be listed. */
  #resourceVersion: string | undefined

  constructor(
    client: ApiClient,
    kind: ResourceKind<T>,
    { clock = systemClock, logger = silentLogger, transform = object => object, ...selection }: InformerOptions<T> = {},
  ) {
    this.#client = client
    this.#kind = kind
    this.#selection = selection
    this.#clock = clock
    this.#logger = logger
    this.#transform = transform
    this.#synced = new Promise(resolve => {
      this.#resolveSynced = resolve
    })
  }

  get store(): ObjectReader<T> {
    return this.#store
  }

  /** Whether the first list is complete, and the handlers have seen it. */
  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /** Resolves when `hasSynced` becomes true. */
  synced(): Promise<void> {
    return this.#synced
  }

  /** Adds an index of the store. Does nothing if there is one of this name. */
  addIndex(name: string, of: IndexFunction<T>): void {
    this.#store.addIndex(name, of)
  }

  /**
   * Adds a handler. It is called at once for each object that is already in the store. Returns a function that removes
   * it.
   */
  on(handler: InformerHandler<T>): () => void {
    for (const object of this.#store.list()) this.#call(() => existing(handler, object))
    this.#handlers.add(handler)
    return () => void this.#handlers.delete(handler)
  }

  /**
   * Prepares the large objects of the store for a handler that is added then. Errors are left to the handler, which
   * reads the same. Never rejects.
   */
  async prepareStored(prepare: (object: T) => Generator<undefined>): Promise<void> {
    for (const object of [...this.#store.list()]) if (!hasFewValues(object)) await runInTurns(prepare(object)).catch(() => {})
  }

  /**
   * Like `on`, for a handler that may act before it has seen all objects, such as one that adds keys to a queue. If
   * there are many, it gets those of the store over several turns. An object that changes before its turn is reported
   * as existing, and one that is deleted before only as deleted.
   */
  onGradually(handler: InformerHandler<T>): () => void {
    if (this.#store.size <= AT_ONCE) return this.on(handler)
    const waiting = new Set(this.#store.keys())
    const { prepare } = handler
    const gradual: InformerHandler<T> = {
      ...(prepare && { prepare: (object: T) => prepare.call(handler, object) }),
      added: object => {
        waiting.delete(objectKey(object))
        handler.added?.(object)
      },
      updated: (object, old) => {
        if (waiting.delete(objectKey(object))) existing(handler, object)
        else handler.updated?.(object, old)
      },
      deleted: object => {
        waiting.delete(objectKey(object))
        handler.deleted?.(object)
      },
    }
    this.#handlers.add(gradual)
    const isWaiting = (key: string): boolean => this.#handlers.has(gradual) && waiting.has(key)
    const report = (key: string): void => {
      const object = isWaiting(key) ? this.#store.get(key) : undefined
      waiting.delete(key)
      if (object) this.#call(() => existing(handler, object))
    }
    const toPrepare: string[] = []
    void eachInSlices([...waiting], key => {
      const object = gradual.prepare && this.#store.get(key)
      if (object === undefined || hasFewValues(object)) report(key)
      else toPrepare.push(key)
    }).then(async () => {
      for (const key of toPrepare) {
        const object = isWaiting(key) ? this.#store.get(key) : undefined
        if (object === undefined) continue
        await this.#prepare(gradual, object)
        report(key)
      }
    })
    return () => void this.#handlers.delete(gradual)
  }

  /** Prepares a large object for a handler, in a turn of its own. Never rejects. */
  async #prepare(handler: InformerHandler<T>, object: T): Promise<void> {
    await nextTurn()
    if (handler.prepare) await runInTurns(handler.prepare(object)).catch(error => this.#logFailure(error))
  }

  /** Follows the kind until the signal aborts. Never rejects. May be called once. */
  async run(signal: AbortSignal): Promise<void> {
    let wait = FIRST_RETRY_MS
    while (!signal.aborted) {
      try {
        if (this.#resourceVersion === undefined) await this.#list(signal)
        wait = FIRST_RETRY_MS
        await this.#watch(signal)
      } catch (error) {
        if (signal.aborted) return
        // Another server, or this one after a restore, may not know the version.
        if (error instanceof StatusError && error.code !== 429) this.#resourceVersion = undefined
        this.#logger.debug(2, 'informer lost its watch, retrying', { resource: this.#kind.resource, error: errorMessage(error) })
        if (error instanceof StatusError && error.code === 410) continue
      }
      await pause(wait, signal, this.#clock)
      wait = Math.min(2 * wait, LAST_RETRY_MS)
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { items, resourceVersion } = await this.#client.list(this.#kind, this.#selection)
    if (signal.aborted) return
    const gone = new Set(this.#store.keys())
    for (const object of items) {
      gone.delete(objectKey(object))
      const reporting = this.#put(object)
      if (reporting) await reporting
      else if (turnIsSpent()) await nextTurn()
    }
    for (const key of gone) await this.#remove(key, undefined)
    this.#resourceVersion = resourceVersion
    this.#hasSynced = true
    this.#resolveSynced()
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const resourceVersion = this.#resourceVersion
    if (resourceVersion === undefined || signal.aborted) return
    await this.#client.watch(this.#kind, { ...this.#selection, resourceVersion }, signal, change => this.#take(change))
  }

  #take(change: WatchedChange<T>): undefined | Promise<void> {
    this.#resourceVersion = change.resourceVersion
    if (change.type === 'bookmark') return undefined
    return change.type === 'deleted' ? this.#remove(objectKey(change.object), this.#transform(change.object)) : this.#put(change.object)
  }

  /** Stores an object and reports it. The next change waits for the promise, which is that of a large object. */
  #put(given: T): undefined | Promise<void> {
    const old = this.#store.get(objectKey(given))
    if (old && old.metadata.resourceVersion === given.metadata.resourceVersion) return undefined
    const next = this.#transform(given)
    if (!hasFewValues(next)) return this.#putLarge(next, old)
    const object = shareMembers(old, this.#latest, next)
    this.#latest = object
    this.#store.put(object)
    for (const handler of this.#handlers) this.#report(handler, object, old)
    return undefined
  }

  /** Stores a large object, and reports it to each handler in a turn of its own. */
  async #putLarge(next: T, old: T | undefined): Promise<void> {
    const isSame = old?.metadata.uid === next.metadata.uid
    const object = old && isSame ? await runInTurns(shareUnchanged(old, next)) : next
    // An invalid selector fails for the controller that reads it.
    await runInTurns(keepSelector(object)).catch(() => {})
    await runInTurns(this.#store.index(objectKey(object), object))
    this.#store.put(object, true)
    // A handler that is added meanwhile is called for the objects of the store.
    for (const handler of [...this.#handlers]) {
      // The handler is called in the turn of the last step, before others can use what was prepared for an older state.
      await this.#prepare(handler, object)
      if (this.#handlers.has(handler)) this.#report(handler, object, old)
    }
  }

  /** Of an object that was deleted and created again, the deletion was missed. */
  #report(handler: InformerHandler<T>, object: T, old: T | undefined): void {
    const isSame = old?.metadata.uid === object.metadata.uid
    this.#call(() => {
      if (old && isSame) return handler.updated?.(object, old)
      if (old) handler.deleted?.(old)
      handler.added?.(object)
    })
  }

  #remove(key: string, last: T | undefined): undefined | Promise<void> {
    const old = this.#store.get(key)
    if (!old) return undefined
    if (!hasFewValues(old)) return this.#removeLarge(key, last ?? old)
    this.#store.remove(key)
    for (const handler of this.#handlers) this.#call(() => handler.deleted?.(last ?? old))
    return undefined
  }

  /** Removes a large object, and reports that to each handler in a turn of its own. */
  async #removeLarge(key: string, last: T): Promise<void> {
    await runInTurns(this.#store.index(key, undefined))
    this.#store.remove(key, true)
    for (const handler of [...this.#handlers]) {
      await nextTurn()
      if (this.#handlers.has(handler)) this.#call(() => handler.deleted?.(last))
    }
  }

  /** Calls a handler. An error is a bug of the handler, and must not end the watch. */
  #call(handle: () => void): void {
    try {
      handle()
    } catch (error) {
      this.#logFailure(error)
    }
  }

  #logFailure(error: unknown): void {
    this.#logger.error('a handler of an informer failed', { resource: this.#kind.resource, error: errorMessage(error) })
  }
}

/** Reports an object that was in the store before the handler. */
const existing = <T extends TypedObject>(handler: InformerHandler<T>, object: T): void => (handler.existing ?? handler.added)?.(object)
