import type { ResourceAccess } from '../../../../catalog/resource-access.ts'
import type { Reservation } from '../../../../catalog/strategy.ts'
import { runInTurns, startInTurns } from '../../../../lib/steps.ts'
import { internalServerError } from '../../../../meta/status.ts'
import { type Amounts, added } from '../usage/amounts.ts'
import { type Counted, checkRequest, type LimitedResource, type Reserved, type RunningQuota, runningQuotas } from './check-request.ts'
import type { QuotaIndex } from './quota-index.ts'
import { readQuotas, writeQuotaStatus } from './quota-store.ts'
import type { Held, QuotaReservations } from './reservations.ts'

/** Time that a request waits for its quotas to be written, as in upstream. */
const TIMEOUT_MS = 10_000
/** Times that a quota write is retried after a conflict. */
const RETRIES = 3

/** Dependencies of QuotaBatches. */
export interface QuotaEnvironment {
  /** Quotas by namespace, as watched. It may be behind the store. */
  readonly index: QuotaIndex
  /** Amounts that were written to a quota for objects whose own write has not finished. */
  readonly reservations: QuotaReservations
  /**
   * Access for writing quotas. A write is part of the request that is being admitted, for which webhooks are called;
   * they are not called for the write.
   */
  readonly access: () => ResourceAccess
  /** Resources that require a quota, as configured. */
  readonly limitedResources: readonly LimitedResource[]
}

/** A request that waits for its quotas. */
class Waiter {
  /** Request with its object and evaluator. */
  readonly counted: Counted
  /** Resolves to the reservations, which are committed or rolled back with the write of the object. */
  readonly finished: Promise<readonly Reservation[]>
  /** Reservations made so far. */
  readonly held: Reservation[] = []
  /** Whether the request was admitted or refused, whichever came first. */
  isSettled = false
  #isAbandoned = false
  #resolve = (_: readonly Reservation[]): void => {}
  #reject = (_: unknown): void => {}

  constructor(counted: Counted) {
    this.counted = counted
    this.finished = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** Passes the reservations to the caller, or returns them to the quotas if the request has timed out. */
  admit(): void {
    this.isSettled = true
    if (this.#isAbandoned) this.#giveBack()
    else this.#resolve(this.held)
  }

  /** Rejects the request with this error, and returns its reservations to the quotas. */
  refuse(why: unknown): void {
    this.isSettled = true
    this.#giveBack()
    this.#reject(why)
  }

  /** Rejects the request immediately. Reservations that are made for it later are rolled back. */
  abandon(): void {
    this.#isAbandoned = true
    this.#reject(internalServerError('resource quota evaluation timed out'))
  }

  /** Returns the reservations to their quotas. Not awaited. */
  #giveBack(): void {
    for (const held of this.held) void held.rollback()
  }
}

/**
 * Checks the requests of a namespace against its quotas and reserves what they use. Requests that arrive while a quota
 * of their namespace is being written form a batch: one write of a quota reserves for all of them. Source:
 * quotaEvaluator of staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota in k8s.io/kubernetes.
 */
export class QuotaBatches {
  readonly #env: QuotaEnvironment
  /** Next batch of each namespace that has a batch in progress. */
  readonly #next = new Map<string, Waiter[]>()

  constructor(env: QuotaEnvironment) {
    this.#env = env
  }

  /**
   * Resolves when the quotas have room for the request and it is reserved. The caller commits or rolls back the
   * reservations with the write of the object. Rejects with 403 if a quota is exceeded, 409 if the quotas keep
   * changing, and 500 after 10 seconds.
   */
  admit(counted: Counted): Promise<readonly Reservation[]> {
    const waiter = new Waiter(counted)
    const { namespace } = counted.request
    const next = this.#next.get(namespace)
    if (next) next.push(waiter)
    else void this.#work(namespace, [waiter])
    const timer = setTimeout(() => waiter.abandon(), TIMEOUT_MS)
    return waiter.finished.finally(() => clearTimeout(timer))
  }

  /** Settles batches one after another until none has arrived in the meantime. */
  async #work(namespace: string, first: Waiter[]): Promise<void> {
    for (let batch = first; batch.length > 0; batch = this.#next.get(namespace) ?? []) {
      this.#next.set(namespace, [])
      await this.#settle(namespace, batch)
    }
    this.#next.delete(namespace)
  }

  /** Settles all waiters of a batch. Never rejects. */
  async #settle(namespace: string, batch: readonly Waiter[]): Promise<void> {
    const { index, access, limitedResources } = this.#env
    try {
      const isFresh = index.filling.isOpen
      const quotas = isFresh ? await readQuotas(access(), namespace) : index.quotasOf(namespace)
      if (quotas.length > 0 || limitedResources.length > 0) {
        const running = await startInTurns(runningQuotas(quotas))
        const refused = await this.#reserve(running, batch, RETRIES)
        // The index may be behind the store. A request is not rejected by an outdated quota.
        if (refused.length > 0 && !isFresh) await this.#settleRefused(running, refused)
        else for (const { waiter, why } of refused) waiter.refuse(why)
      }
      for (const waiter of batch) if (!waiter.isSettled) waiter.admit()
    } catch (error) {
      for (const waiter of batch) if (!waiter.isSettled) waiter.refuse(error)
    }
  }

  /** Reads the quotas from the store. If they have changed, the rejected requests are checked again. */
  async #settleRefused(quotas: readonly RunningQuota[], refused: readonly Refused[]): Promise<void> {
    const fresh = await readQuotas(this.#env.access(), refused[0]?.waiter.counted.request.namespace ?? '')
    const known = new Set(quotas.map(({ quota }) => quota.metadata.resourceVersion))
    const isSame = fresh.length === quotas.length && fresh.every(({ metadata }) => known.has(metadata.resourceVersion))
    const still = isSame
      ? refused
      : await this.#reserve(
          await startInTurns(runningQuotas(fresh)),
          refused.map(({ waiter }) => waiter),
          RETRIES,
        )
    for (const { waiter, why } of still) waiter.refuse(why)
  }

  /**
   * Returns the requests that do not fit, unsettled. Throws if a quota could not be written; waiters that are settled
   * by then do not depend on that quota.
   */
  async #reserve(quotas: readonly RunningQuota[], batch: readonly Waiter[], retries: number): Promise<Refused[]> {
    const shares = new Map<RunningQuota, Share[]>()
    const refused: Refused[] = []
    for (const waiter of batch) {
      if (waiter.isSettled) continue
      const reserved = await this.#check(quotas, waiter, refused)
      for (const { running, amounts } of reserved) shares.set(running, [...(shares.get(running) ?? []), { waiter, amounts }])
    }
    const failed = new Set<string | undefined>()
    let fault: unknown
    for (const [running, ofQuota] of shares) {
      try {
        await this.#write(running, ofQuota)
      } catch (error) {
        failed.add(running.quota.metadata.name)
        fault = error
      }
    }
    if (failed.size === 0) return refused
    if (retries === 0) throw fault
    // A quota that has been deleted no longer limits. Reservations in other quotas are kept.
    const again = await readQuotas(this.#env.access(), batch[0]?.counted.request.namespace ?? '')
    const others = new Set(refused.map(({ waiter }) => waiter))
    const rest = batch.filter(waiter => !others.has(waiter))
    return [
      ...refused,
      ...(await this.#reserve(
        await startInTurns(runningQuotas(again.filter(({ metadata }) => failed.has(metadata.name)))),
        rest,
        retries - 1,
      )),
    ]
  }

  /** Returns what the request reserves, and adds it to the quotas. Settles requests that reserve nothing. */
  async #check(quotas: readonly RunningQuota[], waiter: Waiter, refused: Refused[]): Promise<readonly Reserved[]> {
    try {
      const reserved = await runInTurns(checkRequest(quotas, waiter.counted, this.#env.limitedResources))
      if (reserved.length === 0 || waiter.counted.request.dryRun) waiter.admit()
      else for (const { running, amounts } of reserved) running.used = added(running.used, amounts)
      return waiter.isSettled ? [] : reserved
    } catch (why) {
      refused.push({ waiter, why })
      return []
    }
  }

  /** Writes the usage of a quota, and gives each waiter its reservation. */
  async #write(running: RunningQuota, shares: readonly Share[]): Promise<void> {
    const { index, reservations, access } = this.#env
    const { quota, used } = running
    const { namespace = '', name = '' } = quota.metadata
    const held = shares.map(({ waiter, amounts }): Held => ({ namespace, quota: name, amounts, ...createdBy(waiter.counted) }))
    const reserved = await reservations.reserve(held, namespace, writeQuotaStatus(access(), quota, { used }))
    index.wrote(reserved.written)
    running.quota = reserved.written
    for (const [i, { waiter }] of shares.entries()) waiter.held.push(reserved.reservations[i] as Reservation)
  }
}

/** Object that a request creates. */
const createdBy = ({ request, object, evaluator }: Counted): Pick<Held, 'creates'> =>
  request.operation === 'CREATE' ? { creates: { resource: evaluator.resource, name: object.metadata.name ?? '' } } : {}

/** A request that is to be refused. */
interface Refused {
  /** Request that is not settled yet. */
  readonly waiter: Waiter
  readonly why: unknown
}

/** Part of a quota that a request uses. */
interface Share {
  readonly waiter: Waiter
  readonly amounts: Amounts
}
