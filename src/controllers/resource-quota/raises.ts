import { type Amounts, added, amountsOf, lessened, NOTHING, withoutZeros } from '../../resources/core/resource-quota/usage/amounts.ts'
import type { ResourceQuota } from '../../resources/core/v1.types.ts'

/** Longer than a write of another server takes from its reservation on, if that server is well. */
export const GRACE_MS = 10_000

interface Seen {
  revision: number
  used: Amounts
  /** Times by the steady clock, oldest first. */
  raises: { readonly at: number; readonly revision: number; readonly amounts: Amounts }[]
}

/**
 * What other servers on the store have lately added to quotas, for objects that may not be stored yet. What a server had reserved that has gone is in it, too, and is given back after the
 * grace period.
 */
export class Raises {
  readonly #quotas = new Map<string, Seen>()
  /** Whether a revision was written by this server, which knows its reservations. */
  readonly #isOwn: (revision: number) => boolean

  constructor(isOwn: (revision: number) => boolean) {
    this.#isOwn = isOwn
  }

  /** Takes note of a state of a quota. At first all that is used may just have been added. */
  observe({ metadata, status }: ResourceQuota, at: number): void {
    const key = `${metadata.namespace}/${metadata.name}`
    const revision = Number(metadata.resourceVersion)
    const used = amountsOf(status.used)
    const seen = this.#quotas.get(key) ?? { revision: 0, used: NOTHING, raises: [] }
    if (revision <= seen.revision) return
    // A quota that is rarely counted would keep all of them.
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

  /** What was added within the grace period. */
  of({ metadata: { namespace, name } }: ResourceQuota, now: number): Amounts {
    const seen = this.#quotas.get(`${namespace}/${name}`)
    if (!seen) return NOTHING
    // A write of this server may be watched before it is known to be its own.
    seen.raises = seen.raises.filter(({ at, revision }) => now - at < GRACE_MS && !this.#isOwn(revision))
    return seen.raises.reduce((sum, { amounts }) => added(sum, amounts), NOTHING)
  }
}
