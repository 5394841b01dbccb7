import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../../../api/core/v1.types.ts'
import { runIfSteps, type Steps } from '../../../../lib/steps.ts'
import { multiplyParsed } from '../../../../meta/quantity.ts'
import type { StoredObject } from '../../../../storage/storage.ts'
import { type Amounts, added, NOTHING, printAmounts } from './amounts.ts'
import type { Evaluator } from './evaluator.ts'
import { scopesOf } from './scopes.ts'

/**
 * Usage of an object that was counted. Kept as long as the object is cached, so that a recount decodes only new
 * objects.
 */
interface Noted {
  readonly usage: Amounts
  /** Time until which the usage is valid, in milliseconds since the epoch. */
  readonly until: number
  /** Whether the object is in a scope, by scope. */
  readonly scopes: Map<ScopeId, boolean>
}

/**
 * Identifies a scope selector. Selectors may be long, so each is compared once per count instead of once per object.
 */
type ScopeId = number

/** Limit on the amounts that are kept for sharing. */
const MOST_SHARED = 4096
/** Limit on the selectors that have an ID. */
const MOST_SCOPES = 256

/** Counts the usage of the objects of one resource. */
export class UsageCounter {
  readonly #evaluator: Evaluator
  /** Amounts by their text. They are shared, since most pods come from few templates. */
  readonly #shared = new Map<string, Amounts>()
  readonly #scopeIds = new Map<string, ScopeId>()
  #nextScopeId: ScopeId = 0
  /**
   * Usage by object. It is not part of the cache's byte budget, which would evict decoded objects that are rarely read:
   * a count reads all.
   */
  readonly #noted = new WeakMap<StoredObject, Noted>()

  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator
  }

  /**
   * Returns the usage of the objects that are in all scopes of the quota, and the time until which it is valid, in
   * milliseconds since the epoch.
   */
  *count(items: readonly StoredObject[], quota: ResourceQuota, now: number): Steps<{ readonly used: Amounts; readonly until: number }> {
    const scopes = scopesOf(quota)
    const users = new Map<Amounts, number>()
    let until = Number.POSITIVE_INFINITY
    if (scopes.length > 0 && !this.#evaluator.inScope) return { used: NOTHING, until }
    const { each } = this.#evaluator
    if (each) return { used: items.length === 0 ? NOTHING : totalOf(new Map([[each, items.length]])), until }
    const selectors = scopes.map(selector => ({ selector, id: this.#idOf(selector) }))
    for (const item of items) {
      yield
      const noted = yield* this.#look(item, now)
      if (!selectors.every(({ selector, id }) => this.#isIn(selector, id, item, noted))) continue
      if (noted.until >= now && noted.until < until) until = noted.until
      users.set(noted.usage, (users.get(noted.usage) ?? 0) + 1)
    }
    return { used: totalOf(users), until }
  }

  *#look(item: StoredObject, now: number): Steps<Noted> {
    const before = this.#noted.get(item)
    if (before && now <= before.until) return before
    const object = item.object()
    const changesAt = this.#evaluator.changesAt?.(object)
    const usage = this.#share(yield* runIfSteps(this.#evaluator.usage(object, now)))
    const noted: Noted = {
      usage,
      until: changesAt !== undefined && changesAt >= now ? changesAt : Number.POSITIVE_INFINITY,
      scopes: new Map(),
    }
    this.#noted.set(item, noted)
    return noted
  }

  #isIn(selector: ScopedResourceSelectorRequirement, id: ScopeId, item: StoredObject, { scopes }: Noted): boolean {
    const known = scopes.get(id)
    if (known !== undefined) return known
    const isIn = this.#evaluator.inScope?.(selector, item.object()) === true
    scopes.set(id, isIn)
    return isIn
  }

  /**
   * Returns the ID of a selector. Equal selectors have the same ID while it is remembered, and different selectors
   * never share one.
   */
  #idOf({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement): ScopeId {
    const text = JSON.stringify([scopeName, operator, values])
    const id = this.#scopeIds.get(text) ?? this.#nextScopeId++
    if (this.#scopeIds.size >= MOST_SCOPES) this.#scopeIds.clear()
    this.#scopeIds.set(text, id)
    return id
  }

  #share(usage: Amounts): Amounts {
    const text = printAmounts(usage)
    const shared = this.#shared.get(text) ?? usage
    if (this.#shared.size >= MOST_SHARED) this.#shared.clear()
    this.#shared.set(text, shared)
    return shared
  }
}

const totalOf = (users: ReadonlyMap<Amounts, number>): Amounts => {
  let total = NOTHING
  for (const [usage, count] of users)
    total = added(total, new Map([...usage].map(([name, quantity]) => [name, multiplyParsed(quantity, count)] as const)))
  return total
}
