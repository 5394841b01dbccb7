import type { ResourceQuota } from '../../api/core/v1.types.ts'
import type { ResourceAccess, ResourceId } from '../../catalog/resource-access.ts'
import { runInTurns, type Steps, startInTurns } from '../../lib/steps.ts'
import { nextBackgroundTurn, turnIsLong } from '../../lib/turn.ts'
import { deepEqualInSteps } from '../../meta/equal.ts'
import { qualifiedResource } from '../../meta/gvk.ts'
import { compareParsed } from '../../meta/quantity.ts'
import { readQuotas, writeQuotaStatus } from '../../resources/core/resource-quota/admission/quota-store.ts'
import type { Held, QuotaReservations } from '../../resources/core/resource-quota/admission/reservations.ts'
import {
  type Amounts,
  added,
  amountsInSteps,
  amountsOf,
  masked,
  NOTHING,
  sameAmounts,
  ZERO,
} from '../../resources/core/resource-quota/usage/amounts.ts'
import { UsageCounter } from '../../resources/core/resource-quota/usage/count.ts'
import type { Evaluator } from '../../resources/core/resource-quota/usage/evaluator.ts'
import type { StoredObject } from '../../storage/storage.ts'
import { GRACE_MS, type Raises } from './raises.ts'
import type { QuotableResources } from './tracked.ts'

/** Lists stored objects of a namespace, at least as recent as the call. */
export type ListStored = (id: ResourceId, namespace: string) => Promise<readonly StoredObject[]>

/** Dependencies of recalculation. */
export interface RecountParts {
  readonly access: ResourceAccess
  readonly listStored: ListStored
  readonly resources: QuotableResources
  readonly reservations: QuotaReservations
  /** Optional. Omitted if no other server writes to the store. */
  readonly raises?: Raises
}

/** Delay until a recalculation is needed even without changes, in milliseconds. Infinity for never. */
export type RecountIn = number

/** Objects of a namespace by their qualified resource. */
type Lists = Map<string, readonly StoredObject[]>

/** Long enough for most writes. */
const WRITE_MS = 1000

/** Recalculates the usage of quotas and writes it to their status. */
export class Recounter {
  readonly #parts: RecountParts
  readonly #counters = new WeakMap<Evaluator, UsageCounter>()

  constructor(parts: RecountParts) {
    this.#parts = parts
  }

  /**
   * Counts for all quotas of a namespace. Amounts that are reserved for objects that may not be stored yet stay
   * reserved: reservations are looked up after the quotas were read, and before the objects are. Throws Conflict if a
   * quota has changed meanwhile, as it does if something is reserved; the caller counts again.
   */
  async recount(namespace: string, now: number, steadyNow: number): Promise<RecountIn> {
    const { access, reservations, raises } = this.#parts
    const quotas = await readQuotas(access, namespace)
    await reservations.writesEnded(namespace)
    const pending: { readonly quota: ResourceQuota; readonly held: readonly Held[]; readonly raised: Amounts | undefined }[] = []
    for (const quota of quotas) {
      if (raises) await startInTurns(raises.observe(quota, steadyNow))
      const raised = raises && (await startInTurns(raises.of(quota, steadyNow)))
      pending.push({ quota, held: reservations.of(namespace, quota.metadata.name ?? ''), raised })
    }
    let againIn = Number.POSITIVE_INFINITY
    const lists: Lists = new Map()
    for (const { quota, held, raised } of pending) {
      const { used, until } = await this.#count(quota, lists, now)
      if (turnIsLong()) await nextBackgroundTurn()
      const reserved = added(
        used,
        masked(await runInTurns(this.#unstored(held, lists)), name => used.has(name)),
      )
      if (turnIsLong()) await nextBackgroundTurn()
      const settled = keepRaised(reserved, quota, raised)
      againIn = Math.min(againIn, until - now, held.length > 0 ? WRITE_MS : againIn, sameAmounts(settled, reserved) ? againIn : GRACE_MS)
      if (turnIsLong()) await nextBackgroundTurn()
      await this.#write(quota, settled)
    }
    return againIn
  }

  /**
   * Sum of the reservations whose objects were not counted. The object of an update may have been counted with its new
   * usage: that is counted twice until the next time.
   */
  *#unstored(held: readonly Held[], lists: Lists): Steps<Amounts> {
    let sum = NOTHING
    const stored = new Map<string, Set<string>>()
    for (const { amounts, creates } of held) {
      yield
      if (creates !== undefined) {
        const resource = qualifiedResource(creates.resource)
        const names = stored.get(resource) ?? (yield* storedNames(lists.get(resource) ?? []))
        stored.set(resource, names)
        if (names.has(creates.name)) continue
      }
      sum = added(sum, amounts)
    }
    return sum
  }

  /**
   * Counts the usage of each resource that the quota limits and an evaluator knows. `until`: when it changes by itself.
   */
  async #count(quota: ResourceQuota, lists: Lists, now: number): Promise<{ used: Amounts; until: number }> {
    const { namespace = '' } = quota.metadata
    let used: Amounts = new Map()
    let until = Number.POSITIVE_INFINITY
    for (const { definition, evaluator, names } of await startInTurns(this.#parts.resources.limitedByInSteps(quota.spec))) {
      const resource = qualifiedResource(evaluator.resource)
      const listed =
        lists.get(resource) ??
        (await this.#parts.listStored({ group: definition.hub.group, resource: definition.hub.names.plural }, namespace))
      lists.set(resource, listed)
      const found = await runInTurns(this.#counterOf(evaluator).count(listed, quota, now))
      until = Math.min(until, found.until)
      if (turnIsLong()) await nextBackgroundTurn()
      const none: Amounts = new Map([...names].map(name => [name, ZERO]))
      used = added(
        used,
        added(
          none,
          masked(found.used, name => names.has(name)),
        ),
      )
    }
    return { used, until }
  }

  /**
   * Writes the status unless it is that already. Amounts of limited resources without an evaluator stay. Throws
   * Conflict.
   */
  async #write(quota: ResourceQuota, counted: Amounts): Promise<void> {
    const { spec, status } = quota
    const hard = await startInTurns(amountsInSteps(spec.hard))
    const before = await startInTurns(amountsInSteps(status.used))
    if (turnIsLong()) await nextBackgroundTurn()
    const used = masked(new Map([...before, ...counted]), name => hard.has(name))
    const isSame =
      status.hard !== undefined &&
      status.used !== undefined &&
      (await startInTurns(deepEqualInSteps(spec.hard ?? {}, status.hard))) &&
      sameAmounts(used, before)
    if (isSame) return
    this.#parts.reservations.wrote(await writeQuotaStatus(this.#parts.access, quota, { hard, used }))
  }

  #counterOf(evaluator: Evaluator): UsageCounter {
    const counter = this.#counters.get(evaluator) ?? new UsageCounter(evaluator)
    this.#counters.set(evaluator, counter)
    return counter
  }
}

/** Names of stored objects. */
function* storedNames(objects: readonly StoredObject[]): Steps<Set<string>> {
  const names = new Set<string>()
  for (const { key } of objects) {
    yield
    names.add(key.slice(key.lastIndexOf('/') + 1))
  }
  return names
}

/**
 * Keeps amounts that another server has added recently, since their objects may not be stored yet. The result exceeds
 * the count by at most these amounts, and never exceeds the status.
 */
function keepRaised(counted: Amounts, { status }: ResourceQuota, raised: Amounts | undefined): Amounts {
  if (!raised || raised.size === 0) return counted
  const before = amountsOf(status.used)
  const most = added(
    counted,
    masked(raised, name => counted.has(name)),
  )
  return new Map(
    [...counted].map(([name, amount]) => {
      const [was, bound] = [before.get(name) ?? ZERO, most.get(name) ?? amount]
      if (compareParsed(was, amount) <= 0) return [name, amount]
      return [name, compareParsed(was, bound) < 0 ? was : bound]
    }),
  )
}
