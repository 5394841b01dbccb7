import type { TypedObject } from '../../api/meta/object.ts'
import type { ApiClient, ResourceKind } from '../../clients/api-client.ts'
import type { TimerClock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { Informer } from './informer.ts'

/**
 * Informers that the parts of a cluster share: one for each kind, over all namespaces. Their objects have no
 * managedFields, as in kube-controller-manager: half of the memory of a pod. The server keeps them in an update
 * without.
 */
export class Informers {
  readonly #client: ApiClient
  readonly #clock: TimerClock
  readonly #logger: Logger
  readonly #signal: AbortSignal
  readonly #made = new Map<ResourceKind<TypedObject>, Informer<TypedObject>>()
  readonly #running: Promise<void>[] = []

  /** @param signal stops all informers. */
  constructor(client: ApiClient, options: { readonly clock: TimerClock; readonly logger: Logger; readonly signal: AbortSignal }) {
    this.#client = client
    this.#clock = options.clock
    this.#logger = options.logger
    this.#signal = options.signal
  }

  /**
   * Returns the informer of a kind, which is started on first use. Handlers that are added in the same turn see every
   * object once.
   */
  of<T extends TypedObject>(kind: ResourceKind<T>): Informer<T> {
    const made = this.#made.get(kind)
    // The map holds an informer of `T` for a kind of `T`: it is filled here alone.
    if (made) return made as unknown as Informer<T>
    const informer = new Informer<T>(this.#client, kind, {
      clock: this.#clock,
      logger: this.#logger,
      transform: withoutManagedFields,
    })
    this.#made.set(kind, informer as unknown as Informer<TypedObject>)
    this.#running.push(Promise.resolve().then(() => informer.run(this.#signal)))
    return informer
  }

  /** Resolves when all informers that exist have synced. Never resolves if the signal aborts before. */
  async synced(): Promise<void> {
    await Promise.all([...this.#made.values()].map(informer => informer.synced()))
  }

  /** Resolves when all informers have stopped. */
  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }
}

function withoutManagedFields<T extends TypedObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
