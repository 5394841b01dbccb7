import type { ResourceQuota } from '../../api/core/v1.types.ts'
import { type Amounts, added, amountsOf, lessened, NOTHING, withoutZeros } from '../../resources/core/resource-quota/usage/amounts.ts'

/** Maximum time between reservation and write on a healthy server, in milliseconds. */
export const GRACE_MS = 10_000

interface QuotaHistory {
  revision: number
  used: Amounts
  /** Increases, oldest first. `at` is on the steady clock. */
  raises: { readonly at: number; readonly revision: number; readonly amounts: Amounts }[]
}

/**
 * Recent increases of quota usage by other servers on the store, for objects that may not be stored yet. Includes
 * reservations of servers that have crashed, which are released after the grace period.
 */
export class Raises {
  readonly #quotas = new Map<string, QuotaHistory>()
  /** Whether this server wrote a revision. It tracks its own reservations itself. */
  readonly #isOwn: (revision: number) => boolean

  constructor(isOwn: (revision: number) => boolean) {
    this.#isOwn = isOwn
  }

  /** Records a state of a quota. For the first state all usage counts as just added. */
  observe({ metadata, status }: ResourceQuota, at: number): void {
    const key = `${metadata.namespace}/${metadata.name}`
    const revision = Number(metadata.resourceVersion)
    const used = amountsOf(status.used)
    const seen = this.#quotas.get(key) ?? { revision: 0, used: NOTHING, raises: [] }
    if (revision <= seen.revision) return
    // Prunes here too: a quota that is rarely recalculated would accumulate them.
    while (seen.raises[0] && at - seen.raises[0].at >= GRACE_MS) seen.raises.shift()
    const amounts = withoutZeros(lessened(used, seen.used))
    if (amounts.size > 0) seen.raises.push({ at, revision, amounts })
    seen.revision = revision
    seen.used = used
    this.#quotas.set(key, seen)
  }

  forget(namespace: string, name: string): void {
    this.#quotas.delete(`${namespace}/${name}`)
  }

  /** Returns the increases within the grace period. */
  of({ metadata: { namespace, name } }: ResourceQuota, now: number): Amounts {
    const seen = this.#quotas.get(`${namespace}/${name}`)
    if (!seen) return NOTHING
    // The event of a write can arrive before its revision is known to be this server's own.
    seen.raises = seen.raises.filter(({ at, revision }) => now - at < GRACE_MS && !this.#isOwn(revision))
    return seen.raises.reduce((sum, { amounts }) => added(sum, amounts), NOTHING)
  }
}
