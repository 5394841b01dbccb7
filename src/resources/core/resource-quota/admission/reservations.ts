import type { Reservation } from '../../../../catalog/definition.ts'
import type { ResourceQuota } from '../../v1.types.ts'
import { type Amounts, added, NOTHING } from '../usage/amounts.ts'

/** More than are written while somebody still asks for one. */
const MOST_REVISIONS = 10_000

/** What a write has added to a quota before its object is stored. */
interface Held {
  readonly namespace: string
  readonly quota: string
  readonly amounts: Amounts
}

/**
 * What is added to quotas by writes of this server that have not ended yet. Whoever counts the objects of a namespace has to add it, or the objects that are about to be stored would not be
 * counted at all. What is left of a server that was killed is in no such list, and so the next count takes it back.
 */
export class QuotaReservations {
  readonly #held = new Set<Held>()
  /** Revisions of quotas that this server wrote, latest last. */
  readonly #written = new Set<number>()
  readonly #listeners = new Set<(namespace: string) => void>()

  /** Held from before the quota is written until the write of the object has ended. */
  hold(namespace: string, quota: string, amounts: Amounts): Reservation {
    const held = { namespace, quota, amounts }
    this.#held.add(held)
    return {
      commit: async () => {
        this.#held.delete(held)
      },
      rollback: async () => {
        this.#held.delete(held)
        for (const listener of this.#listeners) listener(namespace)
      },
    }
  }

  /** All that is held of a quota now. */
  of(namespace: string, quota: string): Amounts {
    let sum = NOTHING
    for (const held of this.#held) if (held.namespace === namespace && held.quota === quota) sum = added(sum, held.amounts)
    return sum
  }

  /** Takes note of a quota that this server has written. */
  wrote({ metadata }: ResourceQuota): void {
    this.#written.add(Number(metadata.resourceVersion))
    const [oldest] = this.#written
    if (this.#written.size > MOST_REVISIONS && oldest !== undefined) this.#written.delete(oldest)
  }

  /** Whether this server wrote a quota at the revision, lately. */
  isOwn(revision: number): boolean {
    return this.#written.has(revision)
  }

  /** Calls back with the namespace in which something was reserved for a write that has failed, until the signal aborts. */
  onReturned(listener: (namespace: string) => void, signal: AbortSignal): void {
    this.#listeners.add(listener)
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true })
  }
}
