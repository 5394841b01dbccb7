import { compareText } from '../lib/compare-text.ts'
import { runAtOnce, type Steps, sorted } from '../lib/steps.ts'
import { SelectorError } from './selector-error.ts'

/** One term of a field selector. `==` is `=`. */
export interface FieldTerm {
  readonly field: string
  readonly op: '=' | '!='
  readonly value: string
}

/** The terms of a text, each once, empty ones left out. */
function* terms(text: string): Steps<Set<string>> {
  const found = new Set<string>()
  let start = 0
  for (let i = 0; i <= text.length; i++) {
    if (text[i] === '\\') i++
    else if (i === text.length || text[i] === ',') {
      if (i > start) found.add(text.slice(start, i))
      start = i + 1
      yield
    }
  }
  if (start < text.length) found.add(text.slice(start))
  return found
}

/** Throws for an escape of anything but `\\`, `,` and `=`, and for one of the latter two without one. */
function unescapeValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text
  let value = ''
  const chars = text[Symbol.iterator]()
  for (const c of chars) {
    if (c === '\\') {
      const { value: next } = chars.next()
      if (next === undefined) throw new SelectorError('invalid field selector: invalid escape sequence: \\')
      if (next !== '\\' && next !== ',' && next !== '=') throw new SelectorError(`invalid field selector: invalid escape sequence: \\${next}`)
      value += next
    } else if (c === ',' || c === '=') {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${c.charCodeAt(0)}`)
    } else {
      value += c
    }
  }
  return value
}

/** Parses the query parameter `fieldSelector`: terms in the order of their texts. Throws a SelectorError. */
export const parseFieldSelector = (text: string): FieldTerm[] => runAtOnce(fieldSelectorSteps(text))

/** The same, a term a step. */
export function* fieldSelectorSteps(text: string): Steps<FieldTerm[]> {
  const found: FieldTerm[] = []
  for (const part of yield* sorted([...(yield* terms(text))], compareText)) {
    const at = part.search(/!=|=/)
    if (at < 0) throw new SelectorError(`invalid selector: '${text}'; can't understand '${part}'`)
    const operator = part.startsWith('!=', at) ? '!=' : part.startsWith('==', at) ? '==' : '='
    const field = part.slice(0, at)
    const value = unescapeValue(part.slice(at + operator.length))
    yield
    if (field === '' && value === '') continue
    found.push({ field, op: operator === '!=' ? '!=' : '=', value })
  }
  return found
}

/** What a selector asks of one field: it is none, or the only value that it may have. */
interface FieldCondition {
  value: string | undefined
  readonly except: Set<string>
}

/** Terms by field, so that an object costs one look at each field, however many terms there are. */
export class FieldMatcher {
  readonly #conditions = new Map<string, FieldCondition>()
  #impossible = false

  constructor(terms: readonly FieldTerm[]) {
    for (const term of terms) this.#add(term)
  }

  #add({ field, op, value }: FieldTerm): void {
    const condition = this.#conditions.get(field) ?? { value: undefined, except: new Set() }
    this.#conditions.set(field, condition)
    if (op === '!=') condition.except.add(value)
    else if (condition.value === undefined) condition.value = value
    else if (condition.value !== value) this.#impossible = true
  }

  /** `textOf`: the empty text for a field that is missing. */
  matches(textOf: (field: string) => string): boolean {
    if (this.#impossible) return false
    for (const [field, { value, except }] of this.#conditions) {
      const actual = textOf(field)
      if ((value !== undefined && actual !== value) || except.has(actual)) return false
    }
    return true
  }

  get isEmpty(): boolean {
    return this.#conditions.size === 0
  }

  /** The value that is required of a field, if one is: the first of several, which nothing matches. */
  required(field: string): string | undefined {
    return this.#conditions.get(field)?.value
  }
}
