import { deepEqual } from '../../meta/equal.ts'
import type { Json, JsonObject } from '../../meta/object.ts'
import { type GoStruct, type GoType, isNil, isZero, membersOf } from './go-type.ts'

/** Two values of a type beside each other. A side is absent where a list or a map has no such item. */
export interface Comparison {
  readonly type: GoType
  readonly old: Side
  readonly next: Side
  /** What stands inside, by name where it has one; empty for what is compared as a whole. */
  readonly inner: readonly Named[]
  /** Wholes that are the same, and that are not. */
  readonly same: number
  readonly different: number
  /** How many comparisons there are inside, and how deep they go. */
  readonly count: number
  readonly depth: number
}

/** One side's value; undefined where that side has no such item. Absent members of a struct are zero, not absent. */
export type Side = { readonly value: Json | undefined } | undefined

/** A field of a struct or an entry of a map by its name; an item of a list or what a pointer points to without one. */
interface Named {
  readonly name: string
  readonly of: Comparison
}

/** Indices of items beside each other; undefined: the item stands alone. */
type Pair = readonly [old: number | undefined, next: number | undefined]

/** Of lists for whose items more pairs would have to be compared, items stand beside those of their place. */
const MOST_PAIRS = 64

/** Undefined where more than `most` values would have to be compared. */
export function compare(type: GoType, old: Json, next: Json, most: number): Comparison | undefined {
  const comparer = new Comparer(most)
  const comparison = comparer.compare(type, { value: old }, { value: next })
  return comparer.isSpent ? undefined : comparison
}

/** One comparison, which ends when it has compared as much as it may. Bounded, for aligning lists compares pairs of items. */
class Comparer {
  private left: number

  constructor(most: number) {
    this.left = most
  }

  /** What was compared from here on means nothing. */
  get isSpent(): boolean {
    return this.left <= 0
  }

  compare(type: GoType, old: Side, next: Side): Comparison {
    this.left--
    if (!old || !next || this.isSpent) return whole(type, old, next, false)
    const [a, b] = [old.value, next.value]
    const hasNil = type.kind !== 'struct' && type.kind !== 'scalar'
    if (hasNil && (isNil(a) || isNil(b))) return whole(type, old, next, isNil(a) && isNil(b))
    switch (type.kind) {
      case 'struct':
        if (!type.whole) return inside(type, old, next, this.fields(type, a, b))
        return whole(type, old, next, isSame(type, a, b))
      case 'scalar':
        return whole(type, old, next, isSame(type, a, b))
      case 'pointer':
        return inside(type, old, next, [{ name: '', of: this.compare(type.to, old, next) }])
      case 'slice':
        return inside(type, old, next, this.items(type.of, Array.isArray(a) ? a : [], Array.isArray(b) ? b : []))
      case 'map':
        return inside(type, old, next, this.entries(type.of, membersOf(a), membersOf(b)))
    }
  }

  /** Whether so many comparisons may be made; if not, none is any more. */
  private has(count: number): boolean {
    if (count > this.left) this.left = 0
    return !this.isSpent
  }

  /** All fields of a struct, those that are zero on both sides as well. */
  private fields(type: GoStruct, a: Json | undefined, b: Json | undefined): Named[] {
    const [old, next] = [membersOf(a, type), membersOf(b, type)]
    return type.fields.map(field => ({ name: field.name, of: this.compare(field.type, { value: field.get(old) }, { value: field.get(next) }) }))
  }

  /** Entries by key; one that is on one side only is compared with nothing. */
  private entries(type: GoType, a: JsonObject, b: JsonObject): Named[] {
    const side = (members: JsonObject, key: string): Side => (Object.hasOwn(members, key) ? { value: members[key] } : undefined)
    const names = [...Object.keys(a), ...Object.keys(b)]
    return (this.has(names.length) ? [...new Set(names)] : []).sort().map(name => ({ name, of: this.compare(type, side(a, name), side(b, name)) }))
  }

  /** Items of lists that are too different to be shown as one changed item are shown as two. */
  private items(type: GoType, old: readonly Json[], next: readonly Json[]): Named[] {
    if (!this.has(old.length + next.length)) return []
    const out: Named[] = []
    for (const [i, j] of this.align(type, old, next)) {
      if (this.isSpent) break
      const [a, b]: [Side, Side] = [i === undefined ? undefined : { value: old[i] }, j === undefined ? undefined : { value: next[j] }]
      const of = this.compare(type, a, b)
      if (isAlike(of) || !a || !b) out.push({ name: '', of })
      else out.push({ name: '', of: whole(type, a, undefined, false) }, { name: '', of: whole(type, undefined, b, false) })
    }
    return out
  }

  /** Which items are shown beside each other: those that are alike, in their order, so that as few as can be stand alone. */
  private align(type: GoType, old: readonly Json[], next: readonly Json[]): Pair[] {
    if (old.length === next.length) return beside(old.length, next.length)
    const shorter = Math.min(old.length, next.length)
    let start = 0
    while (start < shorter && deepEqual(old[start], next[start])) start++
    let end = 0
    while (end < shorter - start && deepEqual(old.at(-1 - end), next.at(-1 - end))) end++
    const [a, b] = [old.slice(start, old.length - end), next.slice(start, next.length - end)]
    const middle = a.length * b.length > MOST_PAIRS ? beside(a.length, b.length) : this.cheapest(type, a, b)
    return [
      ...beside(start, start),
      ...middle.map(([i, j]): Pair => [i === undefined ? i : i + start, j === undefined ? j : j + start]),
      ...Array.from({ length: end }, (_, i): Pair => [old.length - end + i, next.length - end + i]),
    ]
  }

  /** Of printing two items side by side: nothing if they are the same, one if alike; otherwise they are never paired. */
  private cost(type: GoType, a: Json, b: Json): number {
    const compared = this.compare(type, { value: a }, { value: b })
    return compared.different === 0 ? 0 : isAlike(compared) ? 1 : Number.POSITIVE_INFINITY
  }

  /** The pairing that shows least, by the usual table of the edit distance. `total(i, j)`: the least that the items from i and j on cost. */
  private cheapest(type: GoType, old: readonly Json[], next: readonly Json[]): Pair[] {
    const width = next.length + 1
    const totals = new Float64Array((old.length + 1) * width)
    const costs = old.map(a => next.map(b => this.cost(type, a, b)))
    const total = (i: number, j: number): number => totals[i * width + j] ?? 0
    const paired = (i: number, j: number): number => (costs[i]?.[j] ?? 0) + total(i + 1, j + 1)
    for (let i = old.length; i >= 0; i--) {
      for (let j = next.length; j >= 0; j--) {
        const isEnd = i === old.length || j === next.length
        totals[i * width + j] = isEnd ? old.length - i + next.length - j : Math.min(1 + total(i + 1, j), 1 + total(i, j + 1), paired(i, j))
      }
    }
    const pairs: Pair[] = []
    let [i, j] = [0, 0]
    while (i < old.length || j < next.length) {
      if (i < old.length && j < next.length && total(i, j) === paired(i, j)) pairs.push([i++, j++])
      else if (i < old.length && total(i, j) === 1 + total(i + 1, j)) pairs.push([i++, undefined])
      else pairs.push([undefined, j++])
    }
    return pairs
  }
}

/** Two items that have no more differences than they have in common, and one; others are shown one by one. */
const isAlike = ({ same, different }: Comparison): boolean => same + 1 >= different

/** Each item with the one in its place. */
const beside = (old: number, next: number): Pair[] => Array.from({ length: Math.max(old, next) }, (_, i) => [i < old ? i : undefined, i < next ? i : undefined])

/** A comparison of two values that is not looked into. */
const whole = (type: GoType, old: Side, next: Side, same: boolean): Comparison => ({
  type,
  old,
  next,
  inner: [],
  same: same ? 1 : 0,
  different: same ? 0 : 1,
  count: 0,
  depth: 0,
})

/** Adds up what stands inside. */
function inside(type: GoType, old: Side, next: Side, inner: readonly Named[]): Comparison {
  let [same, different, count, depth] = [0, 0, 0, 0]
  for (const { of } of inner) {
    same += of.same
    different += of.different
    count += of.count + 1
    depth = Math.max(depth, of.depth + 1)
  }
  return { type, old, next, inner, same, different, count, depth }
}

/** Absent, null and zero are one in a type that is no pointer. */
const isSame = (type: GoType, a: Json | undefined, b: Json | undefined): boolean => deepEqual(a, b) || (isZero(type, a) && isZero(type, b))
