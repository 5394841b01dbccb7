import type { KubeObject, TypedObject } from '../api/meta/object.ts'
import { type KindId, watchKind } from '../catalog/define.ts'
import type { AccessEvent, ResourceAccess, ResourceId } from '../catalog/resource-access.ts'
import { systemClock, type TimerClock } from '../lib/clock.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import { pause } from '../lib/pause.ts'
import type { QueueMeter } from '../lib/queue-meter.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'
import { WaitingKeys } from '../lib/waiting-keys.ts'
import type { WorkQueues } from './work-queues.ts'

/** Environment of a controller. Controllers use only the API, with the identity of the server. */
export interface ControllerEnvironment {
  readonly access: ResourceAccess
  readonly clock: TimerClock
  readonly logger: Logger
  /** Optional. Metrics of work queues. */
  readonly queues?: WorkQueues
}

/** A control loop. Runs until the signal aborts. Never rejects. */
export type Controller = (env: ControllerEnvironment, signal: AbortSignal) => Promise<void>

const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 10_000

/** Restricts a watch to objects of one name, of one namespace, or of both. */
export interface WatchScope {
  readonly name?: string
  readonly namespace?: string
}

/** Lists and watches a resource. Relists when the watch is lost, so `handle` may see objects again. */
export const follow = <T extends TypedObject = KubeObject>(
  env: ControllerEnvironment,
  id: KindId<T>,
  signal: AbortSignal,
  handle: Handle<T>,
  scope?: WatchScope,
): Promise<void> => followFresh(env, id, signal, () => handle, scope)

/**
 * Same as `follow`, with a new handler for each list. The handler learns from `synced` that the list is complete and
 * can then find deleted objects.
 */
export const followFresh = <T extends TypedObject = KubeObject>(
  env: ControllerEnvironment,
  id: KindId<T>,
  signal: AbortSignal,
  begin: () => Handle<T>,
  scope: WatchScope = {},
): Promise<void> => followStream(env, id, signal, begin, scope)

/** A local index of all objects of a kind. Keys are `namespace/name`, or `/name` for cluster-scoped kinds. */
export interface ObjectIndex<T extends TypedObject> {
  keys(): Iterable<string>
  /** The next event waits for the returned promise. */
  put(object: T): undefined | Promise<void> | void
  /** The next event waits for the returned promise. */
  remove(namespace: string, name: string): undefined | Promise<void> | void
  /** Called when all existing objects have been put, again after each relist. */
  synced(): void
}

/** Keys of cluster-scoped objects with these names. */
export const clusterKeys = (names: Iterable<string>): string[] => [...names].map(name => `/${name}`)

/** Keeps an index in sync with a kind. Objects deleted while the watch was interrupted are removed as well. */
export const followKept = <T extends TypedObject>(
  env: ControllerEnvironment,
  id: KindId<T>,
  signal: AbortSignal,
  kept: ObjectIndex<T>,
): Promise<void> =>
  followFresh(env, id, signal, () => {
    const unseen = new Set(kept.keys())
    return ({ type, object }) => {
      if (object) {
        const { namespace = '', name = '' } = object.metadata
        unseen.delete(`${namespace}/${name}`)
        return type === 'deleted' ? kept.remove(namespace, name) : kept.put(object)
      }
      return endOfList(kept, unseen)
    }
  })

/** Removes the objects that the list did not contain. */
async function endOfList<T extends TypedObject>(kept: ObjectIndex<T>, unseen: Set<string>): Promise<void> {
  for (const key of unseen) {
    if (turnIsSpent()) await nextTurn()
    await kept.remove(key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1))
  }
  unseen.clear()
  kept.synced()
}

/**
 * Same as `followFresh` for all namespaces, with objects of which only kind, apiVersion and metadata are guaranteed.
 */
export const followMetadata = (
  env: ControllerEnvironment,
  id: ResourceId,
  signal: AbortSignal,
  begin: () => Handle<TypedObject>,
): Promise<void> => followStream(env, id, signal, begin, { metadataOnly: true })

/** Handles an event. The next event waits for the returned promise. */
type Handle<T extends TypedObject> = (event: AccessEvent<T>) => undefined | Promise<void> | void

/**
 * Lists and watches until the signal aborts. Restarts after each end of the watch, with exponential backoff after
 * failures.
 */
async function followStream<T extends TypedObject>(
  env: ControllerEnvironment,
  id: KindId<T>,
  signal: AbortSignal,
  begin: () => Handle<T>,
  { namespace = '', ...options }: WatchScope & { readonly metadataOnly?: boolean },
): Promise<void> {
  let wait = FIRST_RETRY_MS
  while (!signal.aborted) {
    const handle = begin()
    try {
      const take = (event: AccessEvent<T>): undefined | Promise<void> => {
        wait = FIRST_RETRY_MS
        return handle(event) ?? (turnIsSpent() ? nextTurn() : undefined)
      }
      await watchKind(env.access, id, signal, take, { ...options, namespace })
    } catch (error) {
      if (!signal.aborted) env.logger.debug(2, 'controller lost its watch, retrying', { resource: id.resource, error: errorMessage(error) })
    }
    if (signal.aborted) return
    await pause(wait, signal)
    wait = Math.min(wait * 2, LAST_RETRY_MS)
  }
}

/**
 * Queue that processes each key at most once at a time. A key added while it is processed is processed again; a failed
 * key is retried with backoff. The number of workers is bounded. Waiting keys are deduplicated, so their number is
 * bounded by that of the objects.
 */
export class WorkQueue {
  readonly #work: (key: string) => Promise<void>
  readonly #signal: AbortSignal
  readonly #onError: (key: string, error: unknown) => void
  readonly #keys = new WaitingKeys()
  readonly #failures = new Map<string, number>()
  /** Failed keys with the steady time of their next attempt. */
  readonly #retries = new Map<string, number>()
  readonly #workers: number
  readonly #meter: QueueMeter | undefined

  constructor(
    workers: number,
    signal: AbortSignal,
    work: (key: string) => Promise<void>,
    onError: (key: string, error: unknown) => void,
    meter?: QueueMeter,
  ) {
    this.#workers = workers
    this.#signal = signal
    this.#work = work
    this.#onError = onError
    this.#meter = meter
    meter?.follow(this.#keys.waiting, this.#keys.running, key => this.#begin(key))
  }

  /** Adds a key, unless it is waiting already. */
  add(key: string): void {
    if (this.#signal.aborted) return
    if (this.#keys.add(key) && this.#meter) this.#meter.adds.value++
    this.#next()
  }

  /** Starts waiting keys while workers are free. */
  #next(): void {
    if (this.#meter?.isHeld()) return
    while (this.#keys.running.size < this.#workers) {
      const key = this.#keys.first()
      if (key === undefined) return
      this.#begin(key)
    }
  }

  /** Moves a key from waiting to running. */
  #begin(key: string): void {
    const waited = this.#keys.begin(key)
    this.#meter?.waited.observe(waited / 1000)
    void this.#run(key)
  }

  /** Processes a key, and starts the next one. */
  async #run(key: string): Promise<void> {
    try {
      await this.#work(key)
      this.#failures.delete(key)
    } catch (error) {
      if (!this.#signal.aborted) this.#retry(key, error)
    }
    const worked = this.#keys.end(key)
    this.#meter?.worked.observe(worked / 1000)
    if (!this.#signal.aborted) this.#next()
  }

  /** Adds a failed key again after an exponential delay. Of several retries of a key, only the earliest happens. */
  #retry(key: string, error: unknown): void {
    this.#onError(key, error)
    if (this.#meter) this.#meter.retries.value++
    const count = (this.#failures.get(key) ?? 0) + 1
    this.#failures.set(key, count)
    const clock = this.#meter?.pauses ?? systemClock
    const delay = Math.min(FIRST_RETRY_MS * 2 ** count, LAST_RETRY_MS)
    const at = clock.steady.now() + delay
    if ((this.#retries.get(key) ?? Number.POSITIVE_INFINITY) <= at) return
    this.#retries.set(key, at)
    void pause(delay, this.#signal, clock).then(() => {
      if (this.#retries.get(key) !== at) return
      this.#retries.delete(key)
      this.add(key)
    })
  }
}
