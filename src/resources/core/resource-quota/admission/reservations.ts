import type { ResourceQuota } from '../../../../api/core/v1.types.ts'
import type { ResourceId } from '../../../../catalog/resource-access.ts'
import type { Reservation } from '../../../../catalog/strategy.ts'
import type { Amounts } from '../usage/amounts.ts'

/** Revisions of written quotas that are remembered: more than are written before the watch delivers the oldest. */
const MOST_REVISIONS = 10_000

/** Amounts that a write reserves in a quota before its object is stored. */
export interface Held {
  readonly namespace: string
  readonly quota: string
  readonly amounts: Amounts
  /** Object that the write creates. Omitted for an update. */
  readonly creates?: { readonly resource: ResourceId; readonly name: string }
}

/**
 * Reservations of this server's writes that have not ended yet. A count of the objects of a namespace must add them,
 * since their objects may not be stored yet. A server that was killed leaves none, so that the next count takes back
 * what it had reserved.
 */
export class QuotaReservations {
  readonly #held = new Set<Held>()
  /** Writes of quotas under way, by namespace. */
  readonly #writing = new Map<string, Set<Promise<unknown>>>()
  /** Revisions of quotas that this server wrote, latest last. */
  readonly #written = new Set<number>()
  readonly #listeners = new Set<(namespace: string) => void>()

  /**
   * Holds each of the amounts from the moment at which the write of their quota has succeeded, until the write of their
   * object has ended. Rejects as the write of the quota does, and holds nothing then.
   */
  async reserve(
    held: readonly Held[],
    namespace: string,
    write: Promise<ResourceQuota>,
  ): Promise<{ readonly written: ResourceQuota; readonly reservations: Reservation[] }> {
    const reserving = this.#reserve(held, namespace, write)
    const writing = this.#writing.get(namespace) ?? new Set()
    this.#writing.set(namespace, writing.add(reserving))
    try {
      return await reserving
    } finally {
      writing.delete(reserving)
      if (writing.size === 0) this.#writing.delete(namespace)
    }
  }

  async #reserve(held: readonly Held[], namespace: string, write: Promise<ResourceQuota>) {
    try {
      const written = await write
      this.wrote(written)
      return { written, reservations: held.map(each => this.#hold(each)) }
    } catch (error) {
      // The store may have the write all the same.
      this.#returned(namespace)
      throw error
    }
  }

  /** Held until commit or rollback. After the latter, listeners count the namespace again. */
  #hold(held: Held): Reservation {
    this.#held.add(held)
    return {
      commit: async () => {
        this.#held.delete(held)
      },
      rollback: async () => {
        this.#held.delete(held)
        this.#returned(held.namespace)
      },
    }
  }

  #returned(namespace: string): void {
    for (const listener of this.#listeners) listener(namespace)
  }

  /** Resolves when the writes of quotas that are under way in the namespace have ended. */
  async writesEnded(namespace: string): Promise<void> {
    await Promise.allSettled(this.#writing.get(namespace) ?? [])
  }

  /** Reservations in a quota whose writes have not ended. */
  of(namespace: string, quota: string): readonly Held[] {
    return [...this.#held].filter(held => held.namespace === namespace && held.quota === quota)
  }

  /** Records a quota that this server has written. */
  wrote({ metadata }: ResourceQuota): void {
    this.#written.add(Number(metadata.resourceVersion))
    const [oldest] = this.#written
    if (this.#written.size > MOST_REVISIONS && oldest !== undefined) this.#written.delete(oldest)
  }

  /** Whether this server wrote a quota at the revision recently. */
  isOwn(revision: number): boolean {
    return this.#written.has(revision)
  }

  /** Calls the listener with the namespace of each reservation whose write has failed, until the signal aborts. */
  onReturned(listener: (namespace: string) => void, signal: AbortSignal): void {
    this.#listeners.add(listener)
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true })
  }
}
