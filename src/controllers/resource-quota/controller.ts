import type { Catalog } from '../../catalog/catalog.ts'
import { LONGEST_TIMER_MS, systemClock, type Timer, type TimerClock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { pause } from '../../lib/pause.ts'
import { runInTurns, type Steps } from '../../lib/steps.ts'
import { nextTurn } from '../../lib/turn.ts'
import { deepEqual } from '../../meta/equal.ts'
import { isStatusError } from '../../meta/status.ts'
import type { QuotaReservations } from '../../resources/core/resource-quota/admission/reservations.ts'
import type { Evaluator } from '../../resources/core/resource-quota/usage/evaluator.ts'
import type { Evaluators } from '../../resources/core/resource-quota/usage/evaluators.ts'
import type { ResourceQuota, ResourceQuotaSpec } from '../../resources/core/v1.types.ts'
import { QUOTAS } from '../../resources/kinds.ts'
import { type Controller, type ControllerEnvironment, followKept, WorkQueue } from '../controller.ts'
import { QuotaMonitors } from './monitors.ts'
import { Raises } from './raises.ts'
import { type ListStored, Recounter } from './recount.ts'
import { type QuotableResource, QuotableResources } from './tracked.ts'

export interface QuotaControllerParts {
  readonly catalog: Catalog
  readonly evaluators: Evaluators
  readonly reservations: QuotaReservations
  readonly listStored: ListStored
  /** How often all quotas are counted anew; 0: never. */
  readonly resyncMs: number
  /** No other server writes to the store. */
  readonly exclusive: boolean
}

/** Between two counts of a namespace. */
const REST_MS = 200

/**
 * Keeps the status of quotas: their limits as the spec has them, and what is used. It counts a namespace when one of its quotas is new or changed, when objects that they count have gone or use
 * something else, when a write for which something was reserved has failed, and now and then. Source: pkg/controller/resourcequota in k8s.io/kubernetes.
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
  /** Until when a namespace rests after a count, by the steady clock. */
  readonly #resting = new Map<string, number>()
  /** Namespaces that are counted after a while. */
  readonly #later = new Map<string, Timer>()
  /** Whether quotas or the catalog have changed since it was last asked what to watch. */
  #isWatchStale = false
  #watching: Promise<void> | undefined

  constructor(parts: QuotaControllerParts, env: ControllerEnvironment, signal: AbortSignal) {
    const { reservations, listStored, exclusive } = parts
    this.#env = env
    this.#pauses = env.queues?.pauses ?? systemClock
    this.#signal = signal
    this.#resources = new QuotableResources(parts.catalog, parts.evaluators)
    this.#raises = exclusive ? undefined : new Raises(revision => reservations.isOwn(revision))
    this.#recounter = new Recounter({ access: env.access, listStored, resources: this.#resources, reservations, ...(this.#raises && { raises: this.#raises }) })
    this.#monitors = new QuotaMonitors(env, signal, ({ evaluator }, namespace) => this.#changed(evaluator, namespace))
    this.#queue = new WorkQueue(
      4,
      signal,
      namespace => this.#count(namespace),
      (namespace, error) => env.logger.debug(2, 'quotas are not counted yet', { namespace, error: errorMessage(error) }),
      env.queues?.meter('resourcequota_primary'),
    )
  }

  *keys(): Iterable<string> {
    for (const [namespace, quotas] of this.#quotas) for (const name of quotas.keys()) yield `${namespace}/${name}`
  }

  put(quota: ResourceQuota): void {
    const { namespace = '', name = '' } = quota.metadata
    const quotas = this.#quotas.get(namespace) ?? new Map<string, ResourceQuota>()
    this.#quotas.set(namespace, quotas)
    const before = quotas.get(name)
    this.#raises?.observe(quota, this.#pauses.steady.now())
    const { spec, status } = quota
    const isNew = before === undefined || before.metadata.uid !== quota.metadata.uid
    const isChanged = isNew || !deepEqual(before.spec, spec)
    // What a spec limits is known of the spec that was looked at.
    quotas.set(name, isChanged ? quota : { ...quota, spec: before.spec })
    if (isChanged) this.watchUsers()
    if (isChanged || status.hard === undefined || status.used === undefined || !deepEqual(spec.hard ?? {}, status.hard)) this.look(namespace)
  }

  remove(namespace: string, name: string): void {
    const quotas = this.#quotas.get(namespace)
    quotas?.delete(name)
    if (quotas?.size === 0) this.#quotas.delete(namespace)
    this.#raises?.forget(namespace, name)
    this.watchUsers()
  }

  /** Has a namespace counted, soon. */
  look(namespace: string): void {
    if (!this.#quotas.has(namespace)) return
    const rest = (this.#resting.get(namespace) ?? 0) - this.#pauses.steady.now()
    if (rest <= 0) this.#queue.add(namespace)
    else this.#lookIn(namespace, rest)
  }

  /** Watches the resources that quotas limit, as these and the catalog are from the next turn on: many may change in one. */
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

  /** After the signal has aborted. */
  async ended(): Promise<void> {
    for (const timer of this.#later.values()) timer.close()
    await this.#monitors.ended()
  }

  #changed(evaluator: Evaluator, namespace: string | undefined): void {
    const namespaces = namespace === undefined ? this.#quotas.keys() : [namespace]
    for (const each of namespaces) {
      const quotas = this.#quotas.get(each)
      if (quotas && [...quotas.values()].some(({ spec }) => this.#limits(spec, evaluator))) this.look(each)
    }
  }

  async #watchLimited(): Promise<void> {
    await nextTurn()
    while (this.#isWatchStale && !this.#signal.aborted) {
      this.#isWatchStale = false
      const limited = await runInTurns(this.#limited())
      if (!this.#signal.aborted) this.#monitors.watch(limited)
    }
  }

  /** All that any quota limits; a quota is a step. */
  *#limited(): Steps<QuotableResource[]> {
    const limited = new Map<Evaluator, QuotableResource>()
    for (const quotas of this.#quotas.values()) {
      for (const { spec } of quotas.values()) {
        for (const each of this.#resources.limitedBy(spec)) limited.set(each.evaluator, each)
        yield
      }
    }
    return [...limited.values()]
  }

  #limits(spec: ResourceQuotaSpec, evaluator: Evaluator): boolean {
    return this.#resources.limitedBy(spec).some(each => each.evaluator === evaluator)
  }

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

  #rest(namespace: string): void {
    const now = this.#pauses.steady.now()
    for (const [each, until] of this.#resting) {
      if (until > now) break
      this.#resting.delete(each)
    }
    this.#resting.delete(namespace)
    this.#resting.set(namespace, now + REST_MS)
  }

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
