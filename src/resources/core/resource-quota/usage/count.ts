import { resultOf, type Steps } from '../../../../lib/steps.ts'
import { multiplyParsed } from '../../../../meta/quantity.ts'
import type { StoredObject } from '../../../../storage/storage.ts'
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../v1.types.ts'
import { type Amounts, added, NOTHING, printAmounts } from './amounts.ts'
import type { Evaluator } from './evaluator.ts'
import { scopesOf } from './scopes.ts'

/** What is known of an object that was counted: kept as long as the cache has the object, so that the next count reads only what is new. */
interface Noted {
  readonly usage: Amounts
  /** Until when, in milliseconds since the epoch. */
  readonly until: number
  /** Whether it is in a scope. */
  readonly scopes: Map<ScopeId, boolean>
}

/** Stands for a scope's selector: its text may be long, and is compared once for a count instead of once for each object. */
type ScopeId = number

/** Different amounts that are kept to be shared. */
const MOST_SHARED = 4096
/** Selectors that are remembered. */
const MOST_SCOPES = 256

/** Counts what objects of a resource use of quotas. */
export class UsageCounter {
  readonly #evaluator: Evaluator
  /** Amounts by their text: most pods come of few templates. */
  readonly #shared = new Map<string, Amounts>()
  readonly #scopeIds = new Map<string, ScopeId>()
  #nextScopeId: ScopeId = 0
  /** Not within the byte budget of the cache: that drops first what is seldom read, and a count reads all. */
  readonly #noted = new WeakMap<StoredObject, Noted>()

  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator
  }

  /** What those of the objects use that are in all scopes of the quota, and when that changes by itself. */
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
    const usage = this.#share(yield* resultOf(this.#evaluator.usage(object, now)))
    const noted: Noted = { usage, until: changesAt !== undefined && changesAt >= now ? changesAt : Number.POSITIVE_INFINITY, scopes: new Map() }
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

  /** The same for equal selectors, as long as it is remembered; never that of another. */
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
  for (const [usage, count] of users) total = added(total, new Map([...usage].map(([name, quantity]) => [name, multiplyParsed(quantity, count)] as const)))
  return total
}
