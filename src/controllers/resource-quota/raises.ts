import type { ResourceQuota } from '../../api/core/v1.types.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import type { Quantity } from '../../meta/quantity.ts'
import { type Amounts, addTo, amountsOf, growth, keepAmounts, NOTHING } from '../../resources/core/resource-quota/usage/amounts.ts'

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

  /** Records a state of a quota in steps. All usage of its first state counts as just added. */
  *observe(quota: ResourceQuota, at: number): Steps<void> {
    const { metadata, status } = quota
    const key = `${metadata.namespace}/${metadata.name}`
    const revision = Number(metadata.resourceVersion)
    yield* keepAmounts(status.used)
    const used = amountsOf(status.used)
    const known = this.#quotas.get(key)
    const seen = known ?? { revision: 0, used: NOTHING, raises: [] }
    if (revision <= seen.revision) return
    const before = seen.used
    const amounts = yield* growth(used, before)
    // Another state may have been recorded meanwhile.
    if (this.#quotas.get(key) !== known || seen.used !== before) return yield* this.observe(quota, at)
    // Prunes here too: a quota that is rarely recalculated would accumulate them.
    while (seen.raises[0] && at - seen.raises[0].at >= GRACE_MS) seen.raises.shift()
    if (amounts.size > 0) seen.raises.push({ at, revision, amounts })
    seen.revision = revision
    seen.used = used
    this.#quotas.set(key, seen)
  }

  forget(namespace: string, name: string): void {
    this.#quotas.delete(`${namespace}/${name}`)
  }

  /** Returns the increases within the grace period, added up in steps. */
  *of({ metadata: { namespace, name } }: ResourceQuota, now: number): Steps<Amounts> {
    const seen = this.#quotas.get(`${namespace}/${name}`)
    if (!seen) return NOTHING
    // The event of a write can arrive before its revision is known to be this server's own.
    seen.raises = seen.raises.filter(({ at, revision }) => now - at < GRACE_MS && !this.#isOwn(revision))
    const sum = new Map<string, Quantity>()
    for (const { amounts } of [...seen.raises])
      for (const [name, quantity] of amounts) {
        if (isStepDone()) yield
        addTo(sum, name, quantity)
      }
    return sum
  }
}
