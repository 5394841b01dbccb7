import type { Json, JsonObject } from '../../api/meta/object.ts'
import { isWide } from '../../lib/wide-objects.ts'
import { deepEqual } from '../../meta/equal.ts'
import { type GoStruct, type GoType, goMembers, isGoZero, isNil } from './go-type.ts'

/** The comparison of two values of a type. A side is undefined if a list or map does not have the item. */
export interface Comparison {
  readonly type: GoType
  readonly old: Side
  readonly next: Side
  /** Comparisons of the parts, with their names. Empty if the value is compared as a whole. */
  readonly inner: readonly Named[]
  /** Number of values compared as a whole that are equal, and that are not. */
  readonly same: number
  readonly different: number
  /** Number of comparisons within this one, and their depth. */
  readonly count: number
  readonly depth: number
}

/**
 * The value of one side. Undefined if that side does not have the item. Absent members of a struct are zero, not
 * undefined.
 */
export type Side = { readonly value: Json | undefined } | undefined

/** A part of a value: a field or map entry with its name, or a list item or pointer target without one. */
interface Named {
  readonly name: string
  readonly of: Comparison
}

/** Indices of two items that are shown together. Undefined if an item has no counterpart. */
type ItemPair = readonly [old: number | undefined, next: number | undefined]

/** Limit on the pairs of list items that are compared. In longer lists, items with equal indices are paired. */
const MOST_PAIRS = 64

/** Compares two values. Undefined if more than `most` values would have to be compared. */
export function compareGoValues(type: GoType, old: Json, next: Json, most: number): Comparison | undefined {
  const comparer = new Comparer(most)
  const comparison = comparer.compare(type, { value: old }, { value: next })
  return comparer.isSpent ? undefined : comparison
}

/** A comparison with a limit on its work, which is needed because aligning lists compares pairs of items. */
class Comparer {
  #left: number

  constructor(most: number) {
    this.#left = most
  }

  /** Whether the limit was exceeded. The results are then invalid. */
  get isSpent(): boolean {
    return this.#left <= 0
  }

  /**
   * Counts towards the limit by one for each call. A nil list, map or pointer is compared as a whole: it differs from
   * an empty one.
   */
  compare(type: GoType, old: Side, next: Side): Comparison {
    this.#left--
    if (!old || !next || this.isSpent) return comparedWhole(type, old, next, false)
    const [a, b] = [old.value, next.value]
    const hasNil = type.kind !== 'struct' && type.kind !== 'scalar'
    if (hasNil && (isNil(a) || isNil(b))) return comparedWhole(type, old, next, isNil(a) && isNil(b))
    switch (type.kind) {
      case 'struct':
        if (!type.whole) return inside(type, old, next, this.#fields(type, a, b))
        return comparedWhole(type, old, next, isSameGoValue(type, a, b))
      case 'scalar':
        return comparedWhole(type, old, next, isSameGoValue(type, a, b))
      case 'pointer':
        return inside(type, old, next, [{ name: '', of: this.compare(type.to, old, next) }])
      case 'slice':
        return inside(type, old, next, this.#items(type.of, Array.isArray(a) ? a : [], Array.isArray(b) ? b : []))
      case 'map':
        return inside(type, old, next, this.#entries(type.of, goMembers(a), goMembers(b)))
    }
  }

  /** Returns whether this many comparisons are within the limit. If not, the limit is exhausted. */
  #has(count: number): boolean {
    if (count > this.#left) this.#left = 0
    return !this.isSpent
  }

  /** Compares all fields of a struct, including those that are zero on both sides. */
  #fields(type: GoStruct, a: Json | undefined, b: Json | undefined): Named[] {
    const [old, next] = [goMembers(a, type), goMembers(b, type)]
    return type.fields.map(field => ({
      name: field.name,
      of: this.compare(field.type, { value: field.get(old) }, { value: field.get(next) }),
    }))
  }

  /** Compares map entries by key. A key of one side only is compared with undefined. */
  #entries(type: GoType, a: JsonObject, b: JsonObject): Named[] {
    const side = (members: JsonObject, key: string): Side => (Object.hasOwn(members, key) ? { value: members[key] } : undefined)
    // Listing the names of a wide map takes as long as comparing some thousand values.
    if ((isWide(a) || isWide(b)) && !this.#has(this.#left + 1)) return []
    const names = [...Object.keys(a), ...Object.keys(b)]
    return (this.#has(names.length) ? [...new Set(names)] : [])
      .sort()
      .map(name => ({ name, of: this.compare(type, side(a, name), side(b, name)) }))
  }

  /** Compares list items. A pair that differs too much to be shown as one changed item is shown as two items. */
  #items(type: GoType, old: readonly Json[], next: readonly Json[]): Named[] {
    if (!this.#has(old.length + next.length)) return []
    const out: Named[] = []
    for (const [i, j] of this.#align(type, old, next)) {
      if (this.isSpent) break
      const [a, b]: [Side, Side] = [i === undefined ? undefined : { value: old[i] }, j === undefined ? undefined : { value: next[j] }]
      const of = this.compare(type, a, b)
      if (isAlike(of) || !a || !b) out.push({ name: '', of })
      else out.push({ name: '', of: comparedWhole(type, a, undefined, false) }, { name: '', of: comparedWhole(type, undefined, b, false) })
    }
    return out
  }

  /** Pairs similar items of two lists in their order, with as few unpaired items as possible. */
  #align(type: GoType, old: readonly Json[], next: readonly Json[]): ItemPair[] {
    if (old.length === next.length) return beside(old.length, next.length)
    const shorter = Math.min(old.length, next.length)
    let start = 0
    while (start < shorter && deepEqual(old[start], next[start])) start++
    let end = 0
    while (end < shorter - start && deepEqual(old.at(-1 - end), next.at(-1 - end))) end++
    const [a, b] = [old.slice(start, old.length - end), next.slice(start, next.length - end)]
    const middle = a.length * b.length > MOST_PAIRS ? beside(a.length, b.length) : this.#cheapest(type, a, b)
    return [
      ...beside(start, start),
      ...middle.map(([i, j]): ItemPair => [i === undefined ? i : i + start, j === undefined ? j : j + start]),
      ...Array.from({ length: end }, (_, i): ItemPair => [old.length - end + i, next.length - end + i]),
    ]
  }

  /** Cost of showing two items together: 0 if they are equal, 1 if they are similar; otherwise infinite. */
  #cost(type: GoType, a: Json, b: Json): number {
    const compared = this.compare(type, { value: a }, { value: b })
    return compared.different === 0 ? 0 : isAlike(compared) ? 1 : Number.POSITIVE_INFINITY
  }

  /**
   * Finds the pairing of least cost by the table of the edit distance. `total(i, j)`: least cost of the items from i
   * and j on.
   */
  #cheapest(type: GoType, old: readonly Json[], next: readonly Json[]): ItemPair[] {
    const width = next.length + 1
    const totals = new Float64Array((old.length + 1) * width)
    const costs = old.map(a => next.map(b => this.#cost(type, a, b)))
    const total = (i: number, j: number): number => totals[i * width + j] ?? 0
    const paired = (i: number, j: number): number => (costs[i]?.[j] ?? 0) + total(i + 1, j + 1)
    for (let i = old.length; i >= 0; i--) {
      for (let j = next.length; j >= 0; j--) {
        const isEnd = i === old.length || j === next.length
        totals[i * width + j] = isEnd ? old.length - i + next.length - j : Math.min(1 + total(i + 1, j), 1 + total(i, j + 1), paired(i, j))
      }
    }
    const pairs: ItemPair[] = []
    let [i, j] = [0, 0]
    while (i < old.length || j < next.length) {
      if (i < old.length && j < next.length && total(i, j) === paired(i, j)) pairs.push([i++, j++])
      else if (i < old.length && total(i, j) === 1 + total(i + 1, j)) pairs.push([i++, undefined])
      else pairs.push([undefined, j++])
    }
    return pairs
  }
}

/**
 * Whether two items are similar: they have at most one more difference than equal values. Others are shown separately.
 */
const isAlike = ({ same, different }: Comparison): boolean => same + 1 >= different

/** Pairs items with equal indices. */
const beside = (old: number, next: number): ItemPair[] =>
  Array.from({ length: Math.max(old, next) }, (_, i) => [i < old ? i : undefined, i < next ? i : undefined])

/** Creates a comparison of two values as a whole. */
const comparedWhole = (type: GoType, old: Side, next: Side, same: boolean): Comparison => ({
  type,
  old,
  next,
  inner: [],
  same: same ? 1 : 0,
  different: same ? 0 : 1,
  count: 0,
  depth: 0,
})

/** Sums up the comparisons of the parts. */
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

/** Whether two values are equal. Absent, null and zero are equal for a type that is not a pointer. */
const isSameGoValue = (type: GoType, a: Json | undefined, b: Json | undefined): boolean =>
  deepEqual(a, b) || (isGoZero(type, a) && isGoZero(type, b))
