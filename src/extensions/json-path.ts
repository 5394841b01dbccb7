import { parseInt64 } from '../lib/integer.ts'
import { ownMember } from '../meta/equal.ts'
import { isJsonObject, type Json } from '../meta/object.ts'

/** A path that is none. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError'
}

/** Values that may still be looked at. Recursions behind one another (`..a..a..a`) reach the same values in many ways, and the parts of a union each look at the whole list. */
export interface Looks {
  left: number
}

/**
 * Finds values in a value. As in client-go, each step is taken from all values that the steps before it have found: an index out of bounds in one list leaves the whole path without values. What is
 * missing is no error. Nothing is found when no looks are left.
 */
export type JsonPath = (value: Json, looks: Looks) => readonly Json[]

/** One part of a path: what it leads to from each of several values. Pays for the values that it finds. Undefined: client-go reports an error, or no looks are left. */
type Step = (values: readonly Json[], looks: Looks) => readonly Json[] | undefined
/** One side of a comparison in a filter. */
type Operand = (item: Json, looks: Looks) => readonly Json[] | undefined

/**
 * Reads a JSONPath as columns and selectors of custom resource definitions have them: members (`.a`, `['a']`, with `\.` for a dot in a name), indices, slices and unions of them,
 * wildcards, recursion (`..a`) and filters (`[?(@.type=="Ready")]`). Throws a JsonPathError.
 * Source: https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
export function parseJsonPath(text: string): JsonPath {
  const steps = new Reader(text).path()
  return (value, looks) => follow(steps, [value], looks) ?? NOTHING
}

/** The first value that a path finds. */
export const firstOf = (path: JsonPath, value: Json, looks: Looks): Json | undefined => path(value, looks)[0]

const NOTHING: readonly Json[] = []

/** Whether there were as many looks left, which are taken. */
function pay(looks: Looks, count: number): boolean {
  looks.left -= count
  return looks.left >= 0
}

function follow(steps: readonly Step[], from: readonly Json[], looks: Looks): readonly Json[] | undefined {
  let values = from
  for (const step of steps) {
    if (!pay(looks, values.length)) return undefined
    const found = step(values, looks)
    if (found === undefined || found.length === 0) return found
    values = found
  }
  return values
}

/** `.a`: an absent member leads nowhere. */
const member =
  (name: string): Step =>
  values => {
    const found: Json[] = []
    for (const value of values) {
      const one = isJsonObject(value) ? ownMember(value, name) : undefined
      if (one !== undefined) found.push(one)
    }
    return found
  }

/** The items of a list, the values of an object, the bytes of a text. */
function membersOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value
  if (typeof value === 'string') return [...Buffer.from(value)]
  return isJsonObject(value) ? Object.values(value) : NOTHING
}

/** `*` */
const all: Step = (values, looks) => {
  const found: Json[] = []
  for (const value of values) {
    const members = membersOf(value)
    if (!pay(looks, members.length)) return undefined
    for (const one of members) found.push(one)
  }
  return found
}

/** Each value that holds others, before what it holds; texts hold their bytes. */
const everywhere: Step = (values, looks) => {
  const found: Json[] = []
  const levels: Iterator<Json, unknown>[] = [values.values()]
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const next = level.next()
    if (next.done) {
      levels.pop()
      continue
    }
    const members = typeof next.value === 'string' ? NOTHING : membersOf(next.value)
    if (!pay(looks, members.length)) return undefined
    if (members.length > 0 || (typeof next.value === 'string' && next.value !== '')) found.push(next.value)
    if (members.length > 0) levels.push(members.values())
  }
  return found
}

/** `[a, b]`: what the first part finds from all values, then what the second does. */
const union =
  (parts: readonly Step[]): Step =>
  (values, looks) => {
    const found: Json[] = []
    for (const part of parts) {
      const some = pay(looks, values.length) ? part(values, looks) : undefined
      if (some === undefined || !pay(looks, some.length)) return undefined
      for (const one of some) found.push(one)
    }
    return found
  }

/** A name after a dot, which may be empty. A path may have hundreds of thousands. */
const NAME = /(?:\\.|[^.[\]\s\\()=<>!&|])*/y
/** What client-go's parser reads as a keyword, a number or a boolean outside of a filter. */
const WORD = /[\p{L}\p{Nd}_+-][^.,[\]\s$@{}]*/uy

/** A keyword fails while it is evaluated upstream, which prints nothing; a number or a boolean stands for itself. */
const word = (text: string): Step => {
  const value = text === 'true' || text === 'false' ? text === 'true' : /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
  return values => (value === undefined ? undefined : values.map(() => value))
}

const constant = (value: Json): Operand => {
  const found = [value]
  return () => found
}

/** Parses a path. Throws an Error with upstream’s text. */
class Reader {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  /** Steps up to the end of the text, or to where `end` matches. */
  path(end?: RegExp): Step[] {
    const steps: Step[] = []
    while (this.at < this.text.length && !(end && this.find(end))) for (const step of this.step(steps.at(-1))) steps.push(step)
    return steps
  }

  private fail(): never {
    throw new JsonPathError(`unrecognized character in path: ${this.text.slice(this.at)}`)
  }

  /** What the expression, which is sticky, matches here. */
  private find(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at
    return expression.exec(this.text) ?? undefined
  }

  /** Takes it. */
  private take(expression: RegExp): RegExpExecArray | undefined {
    const found = this.find(expression)
    this.at += found?.[0].length ?? 0
    return found
  }

  private takeText(text: string): boolean {
    const found = this.text.startsWith(text, this.at)
    if (found) this.at += text.length
    return found
  }

  /** Steps are read as client-go's parser reads them: `..a` is two steps, a dot without a name is the member without a name, and spaces, `@` and `$` between steps have no meaning. */
  private step(previous: Step | undefined): Step[] {
    if (this.takeText('..')) {
      if (previous === everywhere) this.fail()
      return [everywhere, ...(this.find(/[\p{L}\p{Nd}_]/uy) ? [this.name()] : [])]
    }
    if (this.takeText('.')) return [this.name()]
    if (this.takeText('[')) return [this.bracket()]
    if (this.take(/[ @$]/y)) return []
    return [word(this.take(WORD)?.[0] ?? this.fail())]
  }

  /** A name after a dot; a backslash takes the next character as it is. */
  private name(): Step {
    if (this.takeText('*')) return all
    const text = this.take(NAME)?.[0] ?? ''
    return member(text.includes('\\') ? text.replace(/\\(.)/g, '$1') : text)
  }

  /** `[*]`, `[?(…)]`, or parts with commas between them, whose values follow each other. */
  private bracket(): Step {
    // Unlike `.*`, it is a slice: maps have none.
    if (this.takeText('*]')) return sliceOf({})
    // client-go reads `[]` as `[0:1]`.
    if (this.takeText(']')) return elementOf(0)
    if (this.take(/\?\(\s*/y)) return this.filter()
    const before = this.take(/ */y)?.[0]
    const parts = [this.part()]
    while (this.take(/ *, */y)) parts.push(this.part())
    const end = this.take(/ *\]/y)?.[0] ?? this.fail()
    const [first] = parts
    if (parts.length > 1 || !first) return union(parts)
    return before === '' && end === ']' ? first : this.fail()
  }

  /** `'a'`, `1`, `-1` or `1:3:2`. */
  private part(): Step {
    const quoted = this.take(/'((?:\\.|[^'\\])*)'/y)
    if (quoted) return member((quoted[1] ?? '').replace(/\\(.)/g, '$1'))
    const slice = this.take(/(-?\d+)?:(-?\d+)?(?::(-?\d+)?)?/y)
    if (slice) {
      const [from, to, step] = slice.slice(1).map(bound => (bound === undefined ? undefined : this.number(bound)))
      return sliceOf({ ...(from !== undefined && { from }), ...(to !== undefined && { to }), ...(step !== undefined && { step }) })
    }
    return elementOf(this.number(this.take(/-?\d+/y)?.[0] ?? this.fail()))
  }

  /** Go reads no number that an int64 cannot hold. */
  private number(text: string): number {
    return parseInt64(text) === undefined ? this.fail() : Number(text)
  }

  /** Keeps items of a list. Without an operator, an item for which the operand finds a value. Several values, or those of two types, cannot be compared. */
  private filter(): Step {
    const left = this.operand()
    const operator = this.take(/\s*(==|!=|<=|>=|<|>)\s*/y)?.[1]
    const right = operator === undefined ? undefined : this.operand()
    if (!this.take(/\s*\)\s*\]/y)) this.fail()
    const holds = (item: Json, looks: Looks): boolean | undefined => {
      const found = left(item, looks)
      // An error is as good as a value here.
      if (operator === undefined || !right) return looks.left < 0 ? undefined : found?.length !== 0
      const other = found?.length === 1 ? right(item, looks) : undefined
      if (found?.length === 0 || other?.length === 0) return false
      return found?.[0] !== undefined && other?.length === 1 && other[0] !== undefined ? compare(operator, found[0], other[0]) : undefined
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

  /** A text, a number, true or false, or a path from the item: `@.type`. */
  private operand(): Operand {
    const text = this.take(/'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"/y)
    if (text) return constant((text[1] ?? text[2] ?? '').replace(/\\(.)/g, '$1'))
    const number = this.take(/-?\d+(?:\.\d+)?/y)
    if (number) return constant(Number(number[0]))
    const word = this.take(/(true|false)\b/y)
    if (word) return constant(word[1] === 'true')
    if (!this.take(/@/y)) this.fail()
    const steps = this.path(/\s*(?:\)|==|!=|<|>)/y)
    return (item, looks) => follow(steps, [item], looks)
  }
}

/** Bounds of a slice. The end is excluded; negative bounds count from the end of the list. `to`: that of `[i]` is `i + 1`, also where `i` is -1. */
interface Bounds {
  readonly from?: number
  readonly to?: number
  readonly step?: number
  readonly ofIndex?: boolean
}

/** Bounds outside the list, and a step below 1, are errors; a slice of no items ends the step. Source: evalArray of client-go's jsonpath. */
const sliceOf =
  ({ from = 0, to, step = 1, ofIndex = false }: Bounds): Step =>
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

const elementOf = (index: number): Step => sliceOf({ from: index, to: index + 1, ofIndex: true })

/** Undefined where the values cannot be compared: those of two types, and all that are no texts, numbers or booleans. Source: client-go's fork of text/template. */
function compare(operator: string, left: Json, right: Json): boolean | undefined {
  const kind = comparedKind(left)
  if (kind === undefined || kind !== comparedKind(right) || left === null || right === null) return undefined
  if (operator === '==') return left === right
  if (operator === '!=') return left !== right
  return kind === 'boolean' ? undefined : inOrder(operator, left, right)
}

const comparedKind = (value: Json): string | undefined => {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'float'
  if (typeof value === 'bigint') return 'integer'
  return typeof value === 'object' ? undefined : typeof value
}

function inOrder(operator: string, left: NonNullable<Json>, right: NonNullable<Json>): boolean {
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
