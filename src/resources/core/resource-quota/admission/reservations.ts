import type { Reservation, ResourceId } from '../../../../catalog/definition.ts'
import type { ResourceQuota } from '../../v1.types.ts'
import type { Amounts } from '../usage/amounts.ts'

/** Number of revisions to remember: more than are written while a caller may still ask for one. */
const MOST_REVISIONS = 10_000

/** Amounts that were added to a quota for an object that is not stored yet. */
interface Held {
  readonly namespace: string
  readonly quota: string
  readonly amounts: Amounts
  /** Object that the write creates. Omitted for an update. */
  readonly creates?: { readonly resource: ResourceId; readonly name: string }
}

/**
 * Amounts that were added to quotas by writes of this server that are still in progress. A recount of a namespace has to add them, since their objects are not
 * stored yet. Reservations of a server that was killed are in no such list, so the next recount removes them.
 */
export class QuotaReservations {
  readonly #held = new Set<Held>()
  /** Writes of quotas under way, by namespace. */
  readonly #writing = new Map<string, Set<Promise<unknown>>>()
  /** Revisions of quotas that this server wrote, latest last. */
  readonly #written = new Set<number>()
  readonly #listeners = new Set<(namespace: string) => void>()

  /** Holds amounts, from before the quota is written until the write of the object has ended. */
  hold(namespace: string, quota: string, amounts: Amounts): Reservation {
    const held = { namespace, quota, amounts }
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

  /** Returns the sum of all amounts that are held of a quota. */
  of(namespace: string, quota: string): Amounts {
    let sum = NOTHING
    for (const held of this.#held) if (held.namespace === namespace && held.quota === quota) sum = added(sum, held.amounts)
    return sum
  }

  /** Records a quota that this server has written. */
  wrote({ metadata }: ResourceQuota): void {
    this.#written.add(Number(metadata.resourceVersion))
    const [oldest] = this.#written
    if (this.#written.size > MOST_REVISIONS && oldest !== undefined) this.#written.delete(oldest)
  }

  /** Reports whether this server recently wrote a quota at this revision. */
  isOwn(revision: number): boolean {
    return this.#written.has(revision)
  }

  /** Calls the listener with a namespace when a write that had reserved amounts there fails, until the signal aborts. */
  onReturned(listener: (namespace: string) => void, signal: AbortSignal): void {
    this.#listeners.add(listener)
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true })
  }
}
