import type { Json, JsonObject } from '../api/meta/object.ts'
import { insertByRank } from '../lib/insert-by-rank.ts'
import { setGivenEmpty } from '../meta/empty-members.ts'
import { setMember } from '../meta/equal.ts'
import { type Decoding, type FieldReader, MISFIT } from './decoding.ts'
import { bySpelling } from './members.ts'

/** How a member of a struct is read. */
export interface MemberPlan {
  readonly name: string
  /** Another spelling of its key. */
  readonly alias: string | undefined
  /** Index in declared order, which is the output order. */
  readonly rank: number
  readonly read: FieldReader
  /** Creates the value of an absent member. Undefined if it is omitted. */
  readonly zero: ((run: Decoding) => Json) | undefined
  /**
   * Empty list, map or bytes that is accepted but not written. Undefined if Go does not distinguish it from an absent
   * value.
   */
  readonly empty: Json | undefined
}

/** A member that is always written. */
interface RequiredPlan extends MemberPlan {
  readonly zero: (run: Decoding) => Json
}

const isRequired = (plan: MemberPlan): plan is RequiredPlan => plan.zero !== undefined

/** A member of an object that is not in declared order. */
interface Present {
  readonly rank: number
  readonly plan: MemberPlan
  readonly key: string
  /** Whether the member was read before the first one out of order. */
  readonly isDone: boolean
}

const EMPTY: JsonObject = Object.freeze(Object.create(null))

/**
 * Reads objects of one struct. The result has its members in declared order, and absent members that are always written
 * are filled in. An object in declared order, such as any that this program wrote, is read in one pass.
 */
export class StructPlan {
  readonly #byName: ReadonlyMap<string, MemberPlan>
  readonly #required: readonly RequiredPlan[]
  /** A rank greater than all others. */
  readonly #end: number
  readonly #keepsUnknown: boolean

  constructor(plans: readonly MemberPlan[], keepsUnknown: boolean) {
    this.#byName = bySpelling(plans)
    this.#required = plans.filter(isRequired)
    this.#end = plans.length
    this.#keepsUnknown = keepsUnknown
  }

  /** Returns a new object. Null is read as the struct's zero value. */
  read(value: Json, run: Decoding): JsonObject {
    if (value === null || value === undefined) return this.#members(EMPTY, run)
    if (typeof value !== 'object' || Array.isArray(value)) throw MISFIT
    return this.#members(value, run)
  }

  /**
   * Copies members as long as they are in declared order and fills in zero values between them. The first one out of
   * order makes the rest be sorted by rank.
   */
  #members(source: JsonObject, run: Decoding): JsonObject {
    const byName = this.#byName
    const required = this.#required
    const out: JsonObject = {}
    let last = -1
    /** Index of the next required member. */
    let next = 0
    for (const key in source) {
      const plan = byName.get(key)
      if (plan === undefined) {
        run.unknownSeen = true
        continue
      }
      const raw = source[key]
      if (raw === undefined) continue
      if (plan.rank < last) return this.#finish(this.#reordered(source, out, key, run), source)
      last = plan.rank
      if (next < required.length) {
        next = this.#fill(out, next, last, run)
        if (required[next] === plan) next++
      }
      put(out, plan, raw, run)
    }
    if (next < required.length) this.#fill(out, next, this.#end, run)
    return this.#finish(out, source)
  }

  /**
   * Fills in the zero values of required members from index `from` up to a rank. Returns the index of the next required
   * member.
   */
  #fill(out: JsonObject, from: number, before: number, run: Decoding): number {
    const required = this.#required
    let next = from
    for (; next < required.length; next++) {
      const plan = required[next]
      if (plan === undefined || plan.rank >= before) break
      out[plan.name] = plan.zero(run)
    }
    return next
  }

  /**
   * Reads an object that is not in declared order. `done` has the members before `from`, the first one out of order, so
   * that nothing is read twice, however deeply it is nested.
   */
  #reordered(source: JsonObject, done: JsonObject, from: string, run: Decoding): JsonObject {
    const out: JsonObject = {}
    let next = 0
    for (const { plan, key, isDone } of this.#present(source, from, run)) {
      next = this.#fill(out, next, plan.rank, run)
      if (this.#required[next] === plan) next++
      const read = isDone ? done[plan.name] : undefined
      // An omitted member was empty. It is read again, because the empty value may have been given.
      if (read === undefined) put(out, plan, source[key] ?? null, run)
      else out[plan.name] = read
    }
    this.#fill(out, next, this.#end, run)
    return out
  }

  /** Returns the known members in declared order. */
  #present(source: JsonObject, from: string, run: Decoding): readonly Present[] {
    const present: Present[] = []
    let isDone = true
    for (const key in source) {
      if (key === from) isDone = false
      const plan = this.#byName.get(key)
      if (plan === undefined) run.unknownSeen = true
      else if (source[key] !== undefined) insertByRank(present, { rank: plan.rank, plan, key, isDone })
    }
    return present
  }

  /** Appends the unknown members if the struct preserves them. */
  #finish(out: JsonObject, source: JsonObject): JsonObject {
    if (this.#keepsUnknown) for (const key of Object.keys(source)) if (!this.#byName.has(key)) setMember(out, key, source[key])
    return out
  }
}

function put(out: JsonObject, plan: MemberPlan, raw: Json, run: Decoding): void {
  const read = plan.read(raw, run)
  if (read !== undefined) out[plan.name] = read
  else if (plan.empty !== undefined && raw !== null && run.keepsEmpty) setGivenEmpty(out, plan.name, plan.empty)
}
