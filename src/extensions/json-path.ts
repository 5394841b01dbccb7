import { ownMember } from '../meta/equal.ts'
import { isJsonObject, type Json } from '../meta/object.ts'

/** A path that is none. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError'
}

/** Finds values in a value; what is missing is no error. */
export type JsonPath = (value: Json) => Json[]

type Step = (value: Json) => Json[]
type Operand = (item: Json) => Json | undefined

/**
 * Reads a JSONPath as columns and selectors of custom resource definitions have them: members (`.a`, `['a']`, with `\.` for a dot in a name), indices, slices and unions of them,
 * wildcards, recursion (`..a`) and filters (`[?(@.type=="Ready")]`). Throws a JsonPathError.
 * Source: https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
export function parseJsonPath(text: string): JsonPath {
  const steps = new Reader(text).path()
  return value => steps.reduce<Json[]>((found, step) => found.flatMap(step), [value])
}

const member =
  (name: string): Step =>
  value => {
    const found = isJsonObject(value) ? ownMember(value, name) : undefined
    return found === undefined ? [] : [found]
  }

const all: Step = value => (Array.isArray(value) ? [...value] : isJsonObject(value) ? Object.values(value) : [])

const everywhere: Step = value => [value, ...all(value).flatMap(everywhere)]

class Reader {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  path(end?: RegExp): Step[] {
    const steps: Step[] = []
    while (this.at < this.text.length && !end?.test(this.rest())) steps.push(...this.step())
    return steps
  }

  private rest(): string {
    return this.text.slice(this.at)
  }

  private fail(): never {
    throw new JsonPathError(`unrecognized character in path: ${this.rest()}`)
  }

  /** Takes what the expression matches here. */
  private take(expression: RegExp): RegExpExecArray | undefined {
    const found = expression.exec(this.rest())
    if (found?.index !== 0) return undefined
    this.at += found[0].length
    return found
  }

  private step(): Step[] {
    if (this.take(/^\.\./)) return [everywhere, ...(this.text[this.at] === '[' ? [] : [this.name()])]
    if (this.take(/^\.(?=\[)/)) return []
    if (this.take(/^\./)) return this.at === this.text.length ? [] : [this.name()]
    if (this.take(/^\[\s*/)) return [this.bracket()]
    return this.fail()
  }

  private name(): Step {
    if (this.take(/^\*/)) return all
    const found = this.take(/^(?:\\.|[^.[\]\s\\()=<>!&|])+/)
    return found ? member(found[0].replace(/\\(.)/g, '$1')) : this.fail()
  }

  private bracket(): Step {
    if (this.take(/^\*\s*\]/)) return all
    if (this.take(/^\?\(\s*/)) return this.filter()
    const parts = [this.part()]
    while (this.take(/^\s*,\s*/)) parts.push(this.part())
    if (!this.take(/^\s*\]/)) this.fail()
    return value => parts.flatMap(part => part(value))
  }

  private part(): Step {
    const quoted = this.take(/^'((?:\\.|[^'\\])*)'/)
    if (quoted) return member((quoted[1] ?? '').replace(/\\(.)/g, '$1'))
    const slice = this.take(/^(-?\d+)?:(-?\d+)?(?::(\d+))?/)
    if (slice) return sliceOf(slice[1], slice[2], slice[3])
    const index = this.take(/^-?\d+/)
    if (!index) return this.fail()
    return value => (Array.isArray(value) ? value.slice(Number(index[0])).slice(0, 1) : [])
  }

  private filter(): Step {
    const left = this.operand()
    const operator = this.take(/^\s*(==|!=|<=|>=|<|>)\s*/)?.[1]
    const right = operator === undefined ? undefined : this.operand()
    if (!this.take(/^\s*\)\s*\]/)) this.fail()
    const holds = (item: Json): boolean => (operator === undefined || !right ? left(item) !== undefined : compare(operator, left(item), right(item)))
    return value => (Array.isArray(value) ? value : []).filter(holds)
  }

  private operand(): Operand {
    const text = this.take(/^'((?:\\.|[^'\\])*)'|^"((?:\\.|[^"\\])*)"/)
    if (text) return () => (text[1] ?? text[2] ?? '').replace(/\\(.)/g, '$1')
    const number = this.take(/^-?\d+(?:\.\d+)?/)
    if (number) return () => Number(number[0])
    const word = this.take(/^(true|false)\b/)
    if (word) return () => word[1] === 'true'
    if (!this.take(/^@/)) this.fail()
    const steps = this.path(/^\s*(?:\)|==|!=|<|>)/)
    return item => steps.reduce<Json[]>((found, step) => found.flatMap(step), [item])[0]
  }
}

function sliceOf(from: string | undefined, to: string | undefined, step = '1'): Step {
  const every = Math.max(1, Number(step))
  return value =>
    (Array.isArray(value) ? value.slice(from === undefined ? 0 : Number(from), to === undefined ? undefined : Number(to)) : []).filter(
      (_, i) => i % every === 0,
    )
}

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
