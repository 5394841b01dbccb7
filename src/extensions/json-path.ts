import { isJsonObject, type Json } from '../api/meta/object.ts'
import { parseInt64 } from '../lib/integer.ts'
import { ownMember } from '../meta/equal.ts'

/** The path is malformed. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError'
}

/**
 * Remaining number of values that may be visited. Nested recursions (`..a..a..a`) reach the same values in many ways,
 * and each part of a union visits the whole list.
 */
export interface Looks {
  left: number
}

/**
 * Finds values in a value. As in client-go, each step applies to all values that the previous steps found: an index out
 * of bounds in one list empties the whole result. A missing member is not an error. Returns nothing if no looks remain.
 */
export type JsonPath = (value: Json, looks: Looks) => readonly Json[]

/**
 * A step of a path: maps values to the values it finds, and pays for them. Undefined if client-go would report an error
 * or no looks remain.
 */
type PathStep = (values: readonly Json[], looks: Looks) => readonly Json[] | undefined
/** One side of a comparison in a filter. */
type Operand = (item: Json, looks: Looks) => readonly Json[] | undefined

/**
 * Parses a JSONPath of columns and selectable fields: members (`.a`, `['a']`, with `\.` for a dot in a name), indices,
 * slices and unions, wildcards, recursion (`..a`) and filters (`[?(@.type=="Ready")]`). Throws a JsonPathError.
 * https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
export function parseJsonPath(text: string): JsonPath {
  const steps = new Reader(text).path()
  return (value, looks) => applySteps(steps, [value], looks) ?? NOTHING
}

/** Returns the first value that a path finds. */
export const firstValue = (path: JsonPath, value: Json, looks: Looks): Json | undefined => path(value, looks)[0]

const NOTHING: readonly Json[] = []

/** Deducts looks. Returns false if fewer remained. */
function pay(looks: Looks, count: number): boolean {
  looks.left -= count
  return looks.left >= 0
}

/** Applies steps to values, until one finds nothing. */
function applySteps(steps: readonly PathStep[], from: readonly Json[], looks: Looks): readonly Json[] | undefined {
  let values = from
  for (const step of steps) {
    if (!pay(looks, values.length)) return undefined
    const found = step(values, looks)
    if (found === undefined || found.length === 0) return found
    values = found
  }
  return values
}

/** `.a`: selects a member. Absent members are skipped. */
const member =
  (name: string): PathStep =>
  values => {
    const found: Json[] = []
    for (const value of values) {
      const one = isJsonObject(value) ? ownMember(value, name) : undefined
      if (one !== undefined) found.push(one)
    }
    return found
  }

/** Items of a list, values of an object, or bytes of a string. */
function childValues(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value
  if (typeof value === 'string') return [...Buffer.from(value)]
  return isJsonObject(value) ? Object.values(value) : NOTHING
}

/** `*`: selects all members. */
const all: PathStep = (values, looks) => {
  const found: Json[] = []
  for (const value of values) {
    const members = childValues(value)
    if (!pay(looks, members.length)) return undefined
    for (const one of members) found.push(one)
  }
  return found
}

/** `..`: selects each container before its contents. Strings contain bytes. */
const everywhere: PathStep = (values, looks) => {
  const found: Json[] = []
  const levels: Iterator<Json, unknown>[] = [values.values()]
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const next = level.next()
    if (next.done) {
      levels.pop()
      continue
    }
    const members = typeof next.value === 'string' ? NOTHING : childValues(next.value)
    if (!pay(looks, members.length)) return undefined
    if (members.length > 0 || (typeof next.value === 'string' && next.value !== '')) found.push(next.value)
    if (members.length > 0) levels.push(members.values())
  }
  return found
}

/** `[a, b]`: values of the first part for all inputs, then those of the second. */
const unionStep =
  (parts: readonly PathStep[]): PathStep =>
  (values, looks) => {
    const found: Json[] = []
    for (const part of parts) {
      const some = pay(looks, values.length) ? part(values, looks) : undefined
      if (some === undefined || !pay(looks, some.length)) return undefined
      for (const one of some) found.push(one)
    }
    return found
  }

/** Name after a dot. May be empty, and hundreds of thousands of characters long. */
const NAME = /(?:\\.|[^.[\]\s\\()=<>!&|])*/y
/** Keyword, number or boolean outside a filter, as client-go's parser reads it. */
const WORD = /[\p{L}\p{Nd}_+-][^.,[\]\s$@{}]*/uy

/** A number or boolean is a constant. A keyword fails during evaluation in upstream, which prints nothing. */
const word = (text: string): PathStep => {
  const value = text === 'true' || text === 'false' ? text === 'true' : /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
  return values => (value === undefined ? undefined : values.map(() => value))
}

const constant = (value: Json): Operand => {
  const found = [value]
  return () => found
}

/** Parses a path. Throws a JsonPathError. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Reads steps up to the end of the text, or to where `end` matches. */
  path(end?: RegExp): PathStep[] {
    const steps: PathStep[] = []
    while (this.#at < this.#text.length && !(end && this.#find(end))) for (const step of this.#step(steps.at(-1))) steps.push(step)
    return steps
  }

  #fail(): never {
    throw new JsonPathError(`unrecognized character in path: ${this.#text.slice(this.#at)}`)
  }

  /** Matches a sticky expression at the current position. */
  #find(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at
    return expression.exec(this.#text) ?? undefined
  }

  /** Consumes a match of the expression. */
  #take(expression: RegExp): RegExpExecArray | undefined {
    const found = this.#find(expression)
    this.#at += found?.[0].length ?? 0
    return found
  }

  #takeText(text: string): boolean {
    const found = this.#text.startsWith(text, this.#at)
    if (found) this.#at += text.length
    return found
  }

  /**
   * Reads a step as client-go's parser does: `..a` is two steps, a dot without a name selects the member with the empty
   * name, and spaces, `@` and `$` between steps are ignored.
   */
  #step(previous: PathStep | undefined): PathStep[] {
    if (this.#takeText('..')) {
      if (previous === everywhere) this.#fail()
      return [everywhere, ...(this.#find(/[\p{L}\p{Nd}_]/uy) ? [this.#name()] : [])]
    }
    if (this.#takeText('.')) return [this.#name()]
    if (this.#takeText('[')) return [this.#bracket()]
    if (this.#take(/[ @$]/y)) return []
    return [word(this.#take(WORD)?.[0] ?? this.#fail())]
  }

  /** Reads a name after a dot. A backslash escapes the next character. */
  #name(): PathStep {
    if (this.#takeText('*')) return all
    const text = this.#take(NAME)?.[0] ?? ''
    return member(text.includes('\\') ? text.replace(/\\(.)/g, '$1') : text)
  }

  /** Reads `[*]`, `[?(…)]`, or a union of comma-separated parts. */
  #bracket(): PathStep {
    // Unlike `.*`, a slice: it does not apply to maps.
    if (this.#takeText('*]')) return sliceOf({})
    // client-go parses `[]` as `[0:1]`.
    if (this.#takeText(']')) return elementStep(0)
    if (this.#take(/\?\(\s*/y)) return this.#filter()
    const before = this.#take(/ */y)?.[0]
    const parts = [this.#part()]
    while (this.#take(/ *, */y)) parts.push(this.#part())
    const end = this.#take(/ *\]/y)?.[0] ?? this.#fail()
    const [first] = parts
    if (parts.length > 1 || !first) return unionStep(parts)
    return before === '' && end === ']' ? first : this.#fail()
  }

  /** Reads `'a'`, `1`, `-1` or `1:3:2`. */
  #part(): PathStep {
    const quoted = this.#take(/'((?:\\.|[^'\\])*)'/y)
    if (quoted) return member((quoted[1] ?? '').replace(/\\(.)/g, '$1'))
    const slice = this.#take(/(-?\d+)?:(-?\d+)?(?::(-?\d+)?)?/y)
    if (slice) {
      const [from, to, step] = slice.slice(1).map(bound => (bound === undefined ? undefined : this.#number(bound)))
      return sliceOf({ ...(from !== undefined && { from }), ...(to !== undefined && { to }), ...(step !== undefined && { step }) })
    }
    return elementStep(this.#number(this.#take(/-?\d+/y)?.[0] ?? this.#fail()))
  }

  /** Fails for numbers that exceed int64, as Go does. */
  #number(text: string): number {
    return parseInt64(text) === undefined ? this.#fail() : Number(text)
  }

  /**
   * Reads a filter, which keeps list items. Without an operator, an item is kept if the operand finds a value. Several
   * values, or values of different types, cannot be compared.
   */
  #filter(): PathStep {
    const left = this.#operand()
    const operator = this.#take(/\s*(==|!=|<=|>=|<|>)\s*/y)?.[1]
    const right = operator === undefined ? undefined : this.#operand()
    if (!this.#take(/\s*\)\s*\]/y)) this.#fail()
    const holds = (item: Json, looks: Looks): boolean | undefined => {
      const found = left(item, looks)
      // As in client-go, an error counts as a value here.
      if (operator === undefined || !right) return looks.left < 0 ? undefined : found?.length !== 0
      const other = found?.length === 1 ? right(item, looks) : undefined
      if (found?.length === 0 || other?.length === 0) return false
      return found?.[0] !== undefined && other?.length === 1 && other[0] !== undefined
        ? compareOperands(operator, found[0], other[0])
        : undefined
    }
    return (values, looks) => {
      const found: Json[] = []
      for (const value of values) {
        if (!Array.isArray(value) || !pay(looks, value.length)) return undefined
        for (const item of value) {
          const isHeld = holds(item, looks)
          if (isHeld === undefined) return undefined
          if (isHeld) found.push(item)
        }
      }
      return found
    }
  }

  /** Reads an operand: a string, number or boolean, or a path from the item such as `@.type`. */
  #operand(): Operand {
    const text = this.#take(/'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"/y)
    if (text) return constant((text[1] ?? text[2] ?? '').replace(/\\(.)/g, '$1'))
    const number = this.#take(/-?\d+(?:\.\d+)?/y)
    if (number) return constant(Number(number[0]))
    const word = this.#take(/(true|false)\b/y)
    if (word) return constant(word[1] === 'true')
    if (!this.#take(/@/y)) this.#fail()
    const steps = this.path(/\s*(?:\)|==|!=|<|>)/y)
    return (item, looks) => applySteps(steps, [item], looks)
  }
}

/**
 * Bounds of a slice. The end is exclusive; negative bounds count from the end of the list. The `to` of `[i]` is
 * `i + 1`, even if `i` is -1.
 */
interface SliceBounds {
  readonly from?: number
  readonly to?: number
  readonly step?: number
  readonly ofIndex?: boolean
}

/**
 * `[from:to:step]`. Bounds outside the list and steps below 1 are errors. An empty slice ends the step. Source:
 * evalArray of client-go's jsonpath.
 */
const sliceOf =
  ({ from = 0, to, step = 1, ofIndex = false }: SliceBounds): PathStep =>
  (values, looks) => {
    const found: Json[] = []
    for (const value of values) {
      if (value === null) continue
      if (!Array.isArray(value)) return undefined
      const { length } = value
      const start = from < 0 ? from + length : from
      const end = to === undefined ? length : to < 0 || (to === 0 && ofIndex) ? to + length : to
      if (start === end) return found
      if (start < 0 || start >= length || end > length || start > end || step <= 0) return undefined
      if (values.length === 1 && end - start === length && step === 1) return value
      if (!pay(looks, Math.ceil((end - start) / step))) return undefined
      for (let at = start; at < end; at += step) found.push(value[at] ?? null)
    }
    return found
  }

const elementStep = (index: number): PathStep => sliceOf({ from: index, to: index + 1, ofIndex: true })

/**
 * Compares two values. Undefined if their types differ or are not string, number or boolean. Source: client-go's fork
 * of text/template.
 */
function compareOperands(operator: string, left: Json, right: Json): boolean | undefined {
  const kind = comparedKind(left)
  if (kind === undefined || kind !== comparedKind(right) || left === null || right === null) return undefined
  if (operator === '==') return left === right
  if (operator === '!=') return left !== right
  return kind === 'boolean' ? undefined : compareOrdered(operator, left, right)
}

const comparedKind = (value: Json): string | undefined => {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'float'
  if (typeof value === 'bigint') return 'integer'
  return typeof value === 'object' ? undefined : typeof value
}

/** Compares two values of the same type. */
function compareOrdered(operator: string, left: NonNullable<Json>, right: NonNullable<Json>): boolean {
  switch (operator) {
    case '<':
      return left < right
    case '<=':
      return left <= right
    case '>':
      return left > right
    default:
      return left >= right
  }
}
