/** A JSON value whose objects are maps: nothing of it depends on how an engine stores members. */
export type OracleValue = string | number | boolean | null | OracleValue[] | Map<string, OracleValue>

const SIMPLE: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const LITERALS: readonly (readonly [string, OracleValue])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
]
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y
const HEX = /[0-9a-fA-F]{4}/y

/**
 * Parses a text by RFC 8259, one character after another. The last of several members of one name counts. Throws a
 * SyntaxError.
 */
export function oracleParse(text: string): OracleValue {
  const reader = new Reader(text)
  const value = reader.value()
  reader.space()
  if (reader.at < text.length) throw reader.error()
  return value
}

class Reader {
  at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  error(): SyntaxError {
    return new SyntaxError(`unexpected text at ${this.at}`)
  }

  space(): void {
    while (' \t\r\n'.includes(this.#text[this.at] ?? '.')) this.at++
  }

  value(): OracleValue {
    this.space()
    switch (this.#text[this.at]) {
      case '{':
        return this.#object()
      case '[':
        return this.#list()
      case '"':
        return this.#string()
    }
    for (const [literal, value] of LITERALS)
      if (this.#text.startsWith(literal, this.at)) {
        this.at += literal.length
        return value
      }
    return Number(this.#match(NUMBER))
  }

  #object(): Map<string, OracleValue> {
    const members = new Map<string, OracleValue>()
    this.#each('}', () => {
      this.space()
      const name = this.#string()
      this.space()
      this.#take(':')
      members.set(name, this.value())
    })
    return members
  }

  #list(): OracleValue[] {
    const items: OracleValue[] = []
    this.#each(']', () => items.push(this.value()))
    return items
  }

  #each(end: string, read: () => void): void {
    this.at++
    this.space()
    if (this.#text[this.at] === end) {
      this.at++
      return
    }
    for (;;) {
      read()
      this.space()
      if (this.#text[this.at] !== ',') break
      this.at++
    }
    this.#take(end)
  }

  #string(): string {
    this.#take('"')
    let decoded = ''
    for (;;) {
      const c = this.#text[this.at] ?? '\n'
      if (c < ' ') throw this.error()
      this.at++
      if (c === '"') return decoded
      decoded += c === '\\' ? this.#escape() : c
    }
  }

  #escape(): string {
    const letter = this.#text[this.at++] ?? ''
    if (letter === 'u') return String.fromCharCode(Number.parseInt(this.#match(HEX), 16))
    const c = SIMPLE[letter]
    if (c === undefined) throw this.error()
    return c
  }

  #take(c: string): void {
    if (this.#text[this.at] !== c) throw this.error()
    this.at++
  }

  #match(expression: RegExp): string {
    expression.lastIndex = this.at
    const [matched] = expression.exec(this.#text) ?? []
    if (matched === undefined) throw this.error()
    this.at += matched.length
    return matched
  }
}

/** Returns the path of the first difference between a parsed value and the oracle's. Undefined if there is none. */
export function differenceFromOracle(value: unknown, expected: OracleValue, path = '$'): string | undefined {
  if (Array.isArray(expected)) {
    if (!Array.isArray(value) || value.length !== expected.length) return path
    return firstOf(expected.map((item, i) => () => differenceFromOracle(value[i], item, `${path}[${i}]`)))
  }
  if (!(expected instanceof Map)) return Object.is(value, expected) ? undefined : path
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return path
  const members = new Map<string, unknown>(Object.entries(value))
  const surplus = [...members.keys()].find(name => !expected.has(name))
  if (surplus !== undefined || members.size !== expected.size)
    return `${path} has ${JSON.stringify(surplus)} instead of one of ${JSON.stringify([...expected.keys()])}`
  return firstOf(
    [...expected].map(
      ([name, member]) =>
        () =>
          differenceFromOracle(members.get(name), member, `${path}[${JSON.stringify(name)}]`),
    ),
  )
}

function firstOf(differences: readonly (() => string | undefined)[]): string | undefined {
  for (const difference of differences) {
    const found = difference()
    if (found !== undefined) return found
  }
  return undefined
}
