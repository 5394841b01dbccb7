import { ownMember } from '../meta/equal.ts'
import { isJsonObject, type Json } from '../meta/object.ts'

/** A path that is none. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError'
}

/** How many values may still be looked at. Recursions behind one another (`..a..a..a`) come back to the same values as often as there are ways to them. */
export interface Looks {
  left: number
}

/** Finds values in a value, one after the other; what is missing is no error, and neither is what is behind the last look. */
export type JsonPath = (value: Json, looks: Looks) => Iterable<Json>

/** One part of a path: all values that it leads to from one. */
type Step = (value: Json, looks: Looks) => readonly Json[]
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
  const levels: { readonly values: readonly Json[]; next: number }[] = [{ values: [value], next: 0 }]
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const item = level.values[level.next++]
    if (item === undefined) {
      levels.pop()
      continue
    }
    const step = steps[levels.length - 1]
    if (!step) yield item
    else {
      const values = step(item, looks)
      looks.left -= 1 + values.length
      if (looks.left < 0) return
      levels.push({ values, next: 0 })
    }
  }
}

/** `.a`: an absent member leads nowhere. */
const member =
  (name: string): Step =>
  value => {
    const found = isJsonObject(value) ? ownMember(value, name) : undefined
    return found === undefined ? [] : [found]
  }

/** `*`: the items of a list, the values of an object. */
const all: Step = value => (Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [])

/** The value and all below it, each before what it holds. */
const everywhere: Step = (value, { left }) => {
  const found: Json[] = []
  const waiting: Json[] = [value]
  for (let next = waiting.pop(); next !== undefined && found.length <= left; next = waiting.pop()) {
    found.push(next)
    const below = Array.isArray(next) ? [...next] : isJsonObject(next) ? Object.values(next) : []
    for (const inner of below.reverse()) waiting.push(inner)
  }
  return found
}

/** A name after a dot. A path may have hundreds of thousands. */
const NAME = /(?:\\.|[^.[\]\s\\()=<>!&|])+/y

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
    while (this.at < this.text.length && !(end && this.find(end))) for (const step of this.step()) steps.push(step)
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

  /** `..a` is two steps. A dot before a bracket and a dot at the end mean nothing. */
  private step(): Step[] {
    if (this.takeText('..')) return [everywhere, ...(this.text[this.at] === '[' ? [] : [this.name()])]
    if (this.takeText('.')) return this.at === this.text.length || this.text[this.at] === '[' ? [] : [this.name()]
    if (this.take(/\[\s*/y)) return [this.bracket()]
    return this.fail()
  }

  /** A name after a dot; a backslash takes the next character as it is. */
  private name(): Step {
    if (this.takeText('*')) return all
    const text = this.take(NAME)?.[0] ?? this.fail()
    return member(text.includes('\\') ? text.replace(/\\(.)/g, '$1') : text)
  }

  /** `[*]`, `[?(…)]`, or parts with commas between them, whose values follow each other. */
  private bracket(): Step {
    if (this.take(/\*\s*\]/y)) return all
    if (this.take(/\?\(\s*/y)) return this.filter()
    const parts = [this.part()]
    while (this.take(/\s*,\s*/y)) parts.push(this.part())
    if (!this.take(/\s*\]/y)) this.fail()
    return (value, looks) => parts.flatMap(part => part(value, looks))
  }

  /** `'a'`, `1`, `-1` or `1:3:2`. An index that is out of range finds nothing. */
  private part(): Step {
    const quoted = this.take(/'((?:\\.|[^'\\])*)'/y)
    if (quoted) return member((quoted[1] ?? '').replace(/\\(.)/g, '$1'))
    const slice = this.take(/(-?\d+)?:(-?\d+)?(?::(\d+))?/y)
    if (slice) return sliceOf(slice[1], slice[2], slice[3])
    const index = this.take(/-?\d+/y)
    if (!index) return this.fail()
    return value => (Array.isArray(value) ? value.slice(Number(index[0])).slice(0, 1) : [])
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
    return (value, looks) => (Array.isArray(value) ? value : []).filter(item => holds(item, looks))
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

/** The end is excluded; negative bounds count from the end of the list. A step of 0 counts as 1. */
function sliceOf(from: string | undefined, to: string | undefined, step = '1'): Step {
  const every = Math.max(1, Number(step))
  return value =>
    (Array.isArray(value) ? value.slice(from === undefined ? 0 : Number(from), to === undefined ? undefined : Number(to)) : []).filter(
      (_, i) => i % every === 0,
    )
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
