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

/** Finds values in a value, one after the other. It ends early when no looks are left. What is missing is no error. */
export type JsonPath = (value: Json, looks: Looks) => Iterable<Json>

/** One part of a path: all values that it leads to from one. It makes them as they are taken, and pays for each value that it looks at without taking it. */
type Step = (value: Json, looks: Looks) => Iterator<Json, unknown>
/** One side of a comparison in a filter. */
type Operand = (item: Json, looks: Looks) => Json | undefined

/**
 * Reads a JSONPath as columns and selectors of custom resource definitions have them: members (`.a`, `['a']`, with `\.` for a dot in a name), indices, slices and unions of them,
 * wildcards, recursion (`..a`) and filters (`[?(@.type=="Ready")]`). Throws a JsonPathError.
 * Source: https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
export function parseJsonPath(text: string): JsonPath {
  const steps = new Reader(text).path()
  return (value, looks) => matches(steps, value, looks)
}

/** The first value that a path finds. */
export function firstOf(path: JsonPath, value: Json, looks: Looks): Json | undefined {
  for (const found of path(value, looks)) return found
  return undefined
}

/** Depth first, so that what is found first takes few looks. */
function* matches(steps: readonly Step[], value: Json, looks: Looks): Generator<Json> {
  const levels: Iterator<Json, unknown>[] = [[value].values()]
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    if (--looks.left < 0) return
    const next = level.next()
    if (next.done) {
      levels.pop()
      continue
    }
    const step = steps[levels.length - 1]
    if (step) levels.push(step(next.value, looks))
    else yield next.value
  }
}

const NOTHING: readonly Json[] = []

/** `.a`: an absent member leads nowhere. */
const member =
  (name: string): Step =>
  value => {
    const found = isJsonObject(value) ? ownMember(value, name) : undefined
    return (found === undefined ? NOTHING : [found]).values()
  }

/** `*`: the items of a list, the values of an object. */
const all: Step = (value, looks) => {
  if (Array.isArray(value)) return value.values()
  if (!isJsonObject(value)) return NOTHING.values()
  const values = Object.values(value)
  looks.left -= values.length
  return values.values()
}

/** The value and all below it, each before what it holds. */
function* everywhere(value: Json, looks: Looks): Generator<Json> {
  const levels: Iterator<Json, unknown>[] = [[value].values()]
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const next = level.next()
    if (next.done) levels.pop()
    else {
      yield next.value
      levels.push(all(next.value, looks))
    }
  }
}

/** `[a, b]`: the values of each part in turn. */
const union = (parts: readonly Step[]): Step =>
  function* (value, looks) {
    for (const part of parts) {
      if (--looks.left < 0) return
      const values = part(value, looks)
      for (let next = values.next(); !next.done; next = values.next()) yield next.value
    }
  }

/** `[1]`. An index that is out of range finds nothing; one that is before the first finds the first. */
const element =
  (index: number): Step =>
  value => {
    const found = Array.isArray(value) ? value[index < 0 ? Math.max(0, value.length + index) : index] : undefined
    return (found === undefined ? NOTHING : [found]).values()
  }

/** A name after a dot, which may be empty. A path may have hundreds of thousands. */
const NAME = /(?:\\.|[^.[\]\s\\()=<>!&|])*/y
/** What client-go's parser reads as a keyword, a number or a boolean outside of a filter. */
const WORD = /[\p{L}\p{Nd}_+-][^.,[\]\s$@{}]*/uy

/** A keyword fails while it is evaluated upstream, which prints nothing; a number or a boolean stands for itself. */
const word = (text: string): Step => {
  const value = text === 'true' || text === 'false' ? text === 'true' : /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
  return () => (value === undefined ? NOTHING : [value]).values()
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
    if (this.take(/\[\s*/y)) return [this.bracket()]
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
    if (this.take(/\*\s*\]/y)) return sliceOf(undefined, undefined)
    // client-go reads `[]` as `[0:1]`.
    if (this.take(/\]/y)) return element(0)
    if (this.take(/\?\(\s*/y)) return this.filter()
    const parts = [this.part()]
    while (this.take(/\s*,\s*/y)) parts.push(this.part())
    if (!this.take(/\s*\]/y)) this.fail()
    return parts.length === 1 && parts[0] ? parts[0] : union(parts)
  }

  /** `'a'`, `1`, `-1` or `1:3:2`. */
  private part(): Step {
    const quoted = this.take(/'((?:\\.|[^'\\])*)'/y)
    if (quoted) return member((quoted[1] ?? '').replace(/\\(.)/g, '$1'))
    const slice = this.take(/(-?\d+)?:(-?\d+)?(?::(\d+))?/y)
    if (slice) return sliceOf(slice[1], slice[2], slice[3])
    const index = this.take(/-?\d+/y)
    if (!index) return this.fail()
    return element(Number(index[0]))
  }

  /** Keeps items of a list. Without an operator, an item for which the operand finds a value. */
  private filter(): Step {
    const left = this.operand()
    const operator = this.take(/\s*(==|!=|<=|>=|<|>)\s*/y)?.[1]
    const right = operator === undefined ? undefined : this.operand()
    if (!this.take(/\s*\)\s*\]/y)) this.fail()
    const holds = (item: Json, looks: Looks): boolean => {
      const found = left(item, looks)
      return operator === undefined || !right ? found !== undefined : compare(operator, found, right(item, looks))
    }
    return function* (value, looks) {
      for (const item of Array.isArray(value) ? value : NOTHING) {
        if (--looks.left < 0) return
        if (holds(item, looks)) yield item
      }
    }
  }

  /** A text, a number, true or false, or a path from the item: `@.type`. */
  private operand(): Operand {
    const text = this.take(/'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"/y)
    if (text) return () => (text[1] ?? text[2] ?? '').replace(/\\(.)/g, '$1')
    const number = this.take(/-?\d+(?:\.\d+)?/y)
    if (number) return () => Number(number[0])
    const word = this.take(/(true|false)\b/y)
    if (word) return () => word[1] === 'true'
    if (!this.take(/@/y)) this.fail()
    const steps = this.path(/\s*(?:\)|==|!=|<|>)/y)
    return (item, looks) => firstOf((value, left) => matches(steps, value, left), item, looks)
  }
}

/** The end is excluded; negative bounds count from the end of the list. Bounds outside the list, and a step of 0, find nothing. Source: evalArray of client-go's jsonpath. */
function sliceOf(from: string | undefined, to: string | undefined, step = '1'): Step {
  const every = Number(step)
  return function* (value) {
    if (!Array.isArray(value)) return
    const { length } = value
    const placeOf = (bound: number): number => (bound < 0 ? length + bound : bound)
    const start = placeOf(Number(from ?? 0))
    const end = to === undefined ? length : placeOf(Number(to))
    if (every === 0 || start < 0 || end > length) return
    for (let at = start; at < end; at += every) yield value[at] ?? null
  }
}

/** Order is defined for two texts and for two numbers of one type; what is absent compares as false. */
function compare(operator: string, left: Json | undefined, right: Json | undefined): boolean {
  if (left === undefined || right === undefined) return false
  if (operator === '==') return left === right
  if (operator === '!=') return left !== right
  if (typeof left === 'string' && typeof right === 'string') return inOrder(operator, left, right)
  if (typeof left === 'number' && typeof right === 'number') return inOrder(operator, left, right)
  return typeof left === 'bigint' && typeof right === 'bigint' && inOrder(operator, left, right)
}

function inOrder<T extends string | number | bigint>(operator: string, left: T, right: T): boolean {
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
