import type { ResourceQuota, ResourceQuotaSpec } from '../../api/core/v1.types.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { use } from '../../lib/awaitable.ts'
import { LONGEST_TIMER_MS, systemClock, type Timer, type TimerClock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { pause } from '../../lib/pause.ts'
import { runInTurns, type Steps, startInTurns } from '../../lib/steps.ts'
import { nextTurn } from '../../lib/turn.ts'
import { isStatusError } from '../../meta/status.ts'
import type { QuotaReservations } from '../../resources/core/resource-quota/admission/reservations.ts'
import type { Evaluator } from '../../resources/core/resource-quota/usage/evaluator.ts'
import type { Evaluators } from '../../resources/core/resource-quota/usage/evaluators.ts'
import { QUOTAS } from '../../resources/kinds.ts'
import { type Controller, type ControllerEnvironment, followKept, WorkQueue } from '../controller.ts'
import { QuotaMonitors } from './monitors.ts'
import { type QuotaChange, quotaChange } from './quota-change.ts'
import { Raises } from './raises.ts'
import { type ListStored, Recounter } from './recount.ts'
import { type QuotableResource, QuotableResources } from './tracked.ts'

/** Dependencies of the quota controller. */
export interface QuotaControllerParts {
  readonly catalog: Catalog
  readonly evaluators: Evaluators
  readonly reservations: QuotaReservations
  readonly listStored: ListStored
  /** Interval between full recalculations, in milliseconds. 0 disables them. */
  readonly resyncMs: number
  /** Whether no other server writes to the store. */
  readonly exclusive: boolean
}

/** Minimum interval between recalculations of a namespace, in milliseconds. */
const REST_MS = 200

/**
 * Maintains the status of quotas: limits from the spec, and current usage. Recalculates a namespace when one of its
 * quotas is added or changed, when counted objects are deleted or change their usage, when a write with a reservation
 * fails, and periodically. Source: pkg/controller/resourcequota in k8s.io/kubernetes.
 */
export const resourceQuotaController =
  (parts: QuotaControllerParts): Controller =>
  async (env, signal) => {
    const controller = new QuotaController(parts, env, signal)
    const unsubscribe = parts.catalog.subscribe(() => controller.watchUsers())
    parts.reservations.onReturned(namespace => controller.look(namespace), signal)
    await Promise.all([
      followKept(env, QUOTAS, signal, {
        keys: () => controller.keys(),
        put: quota => controller.put(quota),
        remove: (namespace, name) => controller.remove(namespace, name),
        synced: () => {},
      }),
      controller.resync(parts.resyncMs),
    ])
    unsubscribe()
    await controller.ended()
  }

/** State of the controller: known quotas, scheduled recalculations and watches. */
class QuotaController {
  readonly #env: ControllerEnvironment
  readonly #pauses: TimerClock
  readonly #signal: AbortSignal
  readonly #quotas = new Map<string, Map<string, ResourceQuota>>()
  readonly #raises: Raises | undefined
  readonly #recounter: Recounter
  readonly #resources: QuotableResources
  readonly #monitors: QuotaMonitors
  readonly #queue: WorkQueue
  /** Time until which a namespace is not recalculated, on the steady clock. */
  readonly #resting = new Map<string, number>()
  /** Timers of delayed recalculations, by namespace. */
  readonly #later = new Map<string, Timer>()
  /** Whether quotas or the catalog have changed since the watches were last updated. */
  #isWatchStale = false
  #watching: Promise<void> | undefined

  constructor(parts: QuotaControllerParts, env: ControllerEnvironment, signal: AbortSignal) {
    const { reservations, listStored, exclusive } = parts
    this.#env = env
    this.#pauses = env.queues?.pauses ?? systemClock
    this.#signal = signal
    this.#resources = new QuotableResources(parts.catalog, parts.evaluators)
    this.#raises = exclusive ? undefined : new Raises(revision => reservations.isOwn(revision))
    this.#recounter = new Recounter({
      access: env.access,
      listStored,
      resources: this.#resources,
      reservations,
      ...(this.#raises && { raises: this.#raises }),
    })
    this.#monitors = new QuotaMonitors(env, signal, ({ evaluator }, namespace) => this.#changed(evaluator, namespace))
    this.#queue = new WorkQueue(
      4,
      signal,
      namespace => this.#count(namespace),
      (namespace, error) => env.logger.debug(2, 'cannot recalculate quotas, retrying', { namespace, error: errorMessage(error) }),
      env.queues?.meter('resourcequota_primary'),
    )
  }

  *keys(): Iterable<string> {
    for (const [namespace, quotas] of this.#quotas) for (const name of quotas.keys()) yield `${namespace}/${name}`
  }

  /**
   * Adds or updates a quota. Schedules a recalculation if its spec changed or its status is incomplete. Returns a
   * promise if the quota is large.
   */
  put(quota: ResourceQuota): Promise<undefined> | undefined {
    const { namespace = '', name = '' } = quota.metadata
    const before = this.#quotas.get(namespace)?.get(name)
    return use(startInTurns(this.#observed(before, quota)), ({ isChanged, isCounted }) => {
      const quotas = this.#quotas.get(namespace) ?? new Map<string, ResourceQuota>()
      this.#quotas.set(namespace, quotas)
      // Keeps the same spec object, for which the limited resources are cached.
      quotas.set(name, isChanged || before === undefined ? quota : { ...quota, spec: before.spec })
      if (isChanged) this.watchUsers()
      if (!isCounted) this.look(namespace)
    })
  }

  *#observed(before: ResourceQuota | undefined, quota: ResourceQuota): Steps<QuotaChange> {
    if (this.#raises) yield* this.#raises.observe(quota, this.#pauses.steady.now())
    return yield* quotaChange(before, quota)
  }

  /** Removes a quota. */
  remove(namespace: string, name: string): void {
    const quotas = this.#quotas.get(namespace)
    quotas?.delete(name)
    if (quotas?.size === 0) this.#quotas.delete(namespace)
    this.#raises?.forget(namespace, name)
    this.watchUsers()
  }

  /** Schedules a recalculation of a namespace, respecting `REST_MS`. */
  look(namespace: string): void {
    if (!this.#quotas.has(namespace)) return
    const rest = (this.#resting.get(namespace) ?? 0) - this.#pauses.steady.now()
    if (rest <= 0) this.#queue.add(namespace)
    else this.#lookIn(namespace, rest)
  }

  /** Updates the watches to the resources that quotas limit. Changes of one turn are combined. */
  watchUsers(): void {
    this.#isWatchStale = true
    this.#watching ??= this.#watchLimited().finally(() => {
      this.#watching = undefined
    })
  }

  async resync(everyMs: number): Promise<void> {
    while (everyMs > 0 && !this.#signal.aborted) {
      await pause(everyMs, this.#signal, this.#env.clock)
      for (const namespace of this.#quotas.keys()) this.look(namespace)
    }
  }

  /** Waits for the watches to end. Call it after the signal has aborted. */
  async ended(): Promise<void> {
    for (const timer of this.#later.values()) timer.close()
    await this.#monitors.ended()
  }

  /** Schedules recalculations of the quotas that limit the changed resource. */
  #changed(evaluator: Evaluator, namespace: string | undefined): void {
    const namespaces = namespace === undefined ? this.#quotas.keys() : [namespace]
    for (const each of namespaces) {
      const quotas = this.#quotas.get(each)
      if (quotas && [...quotas.values()].some(({ spec }) => this.#limits(spec, evaluator))) this.look(each)
    }
  }

  /** Updates the watches until no further change has arrived. */
  async #watchLimited(): Promise<void> {
    await nextTurn()
    while (this.#isWatchStale && !this.#signal.aborted) {
      this.#isWatchStale = false
      const limited = await runInTurns(this.#limited())
      if (!this.#signal.aborted) this.#monitors.watch(limited)
    }
  }

  /** All resources that any quota limits. One step per quota. */
  *#limited(): Steps<QuotableResource[]> {
    const limited = new Map<Evaluator, QuotableResource>()
    for (const quotas of this.#quotas.values()) {
      for (const { spec } of quotas.values()) {
        for (const each of yield* this.#resources.limitedByInSteps(spec)) limited.set(each.evaluator, each)
        yield
      }
    }
    return [...limited.values()]
  }

  #limits(spec: ResourceQuotaSpec, evaluator: Evaluator): boolean {
    return this.#resources.limitedBy(spec).some(each => each.evaluator === evaluator)
  }

  /** Recalculates a namespace. A conflict schedules another attempt. */
  async #count(namespace: string): Promise<void> {
    try {
      const againIn = await this.#recounter.recount(namespace, this.#env.clock.now(), this.#pauses.steady.now())
      this.#rest(namespace)
      if (againIn !== Number.POSITIVE_INFINITY) this.#lookIn(namespace, againIn + REST_MS)
    } catch (error) {
      // An object was added meanwhile, or the quota was deleted.
      if (!isStatusError(error, 'Conflict') && !isStatusError(error, 'NotFound')) throw error
      this.#rest(namespace)
      this.look(namespace)
    }
  }

  /**
   * Starts the minimum interval of a namespace. Entries are ordered by expiry, so old ones are removed from the front.
   */
  #rest(namespace: string): void {
    const now = this.#pauses.steady.now()
    for (const [each, until] of this.#resting) {
      if (until > now) break
      this.#resting.delete(each)
    }
    this.#resting.delete(namespace)
    this.#resting.set(namespace, now + REST_MS)
  }

  /** Schedules a delayed recalculation. A pending one is kept if the new delay is not short. */
  #lookIn(namespace: string, milliseconds: number): void {
    if (this.#later.has(namespace) && milliseconds > REST_MS) return
    this.#later.get(namespace)?.close()
    const timer = this.#pauses.after(Math.min(milliseconds, LONGEST_TIMER_MS), () => {
      this.#later.delete(namespace)
      if (this.#quotas.has(namespace)) this.#queue.add(namespace)
    })
    this.#later.set(namespace, timer)
  }
}
