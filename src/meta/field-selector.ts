import { compareText } from '../lib/compare-text.ts'
import { runAtOnce, type Steps, sortInSteps } from '../lib/steps.ts'
import { SelectorError } from './selector-error.ts'

/** A requirement of a field selector. The operator `==` is stored as `=`. */
export interface FieldTerm {
  readonly field: string
  readonly op: '=' | '!='
  readonly value: string
}

/** Splits a selector into its requirements, without duplicates and empty ones. */
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

/** Throws unless the only escapes are `\\`, `\,` and `\=`, and these characters are always escaped. */
function unescapeValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text
  let value = ''
  const chars = text[Symbol.iterator]()
  for (const c of chars) {
    if (c === '\\') {
      const { value: next } = chars.next()
      if (next === undefined) throw new SelectorError('invalid field selector: invalid escape sequence: \\')
      if (next !== '\\' && next !== ',' && next !== '=')
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${next}`)
      value += next
    } else if (c === ',' || c === '=') {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${c.charCodeAt(0)}`)
    } else {
      value += c
    }
  }
  return value
}

/** Parses the query parameter `fieldSelector` into requirements, sorted by their text. Throws a SelectorError. */
export const parseFieldSelector = (text: string): FieldTerm[] => runAtOnce(fieldSelectorSteps(text))

/** Parses a field selector in steps of one requirement. */
export function* fieldSelectorSteps(text: string): Steps<FieldTerm[]> {
  const found: FieldTerm[] = []
  for (const part of yield* sortInSteps([...(yield* terms(text))], compareText)) {
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

/** Condition on a field: the only value it may have, or the values it may not have. */
interface FieldCondition {
  value: string | undefined
  readonly except: Set<string>
}

/** Requirements by field. Matching an object reads each field once, however many requirements there are. */
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

  /** `textOf` returns an empty string for a missing field. */
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

  /**
   * Returns the value that a field must have, or undefined. If several values are required, returns the first; nothing
   * matches then.
   */
  required(field: string): string | undefined {
    return this.#conditions.get(field)?.value
  }
}
