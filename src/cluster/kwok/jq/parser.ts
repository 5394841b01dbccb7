import type { Branch, JqNode, ObjectEntry, ValueOperator } from './nodes.ts'
import { JqScanner, type JqToken, syntaxError } from './scanner.ts'

/** Longest query, in characters. */
export const MAX_QUERY_LENGTH = 4_000
/** Deepest nesting of a query. */
const MAX_DEPTH = 100

/** Parts of jq that are not implemented. They are refused by name. */
const REFUSED_WORDS = new Set(['def', 'reduce', 'foreach', 'label', 'import', 'include', 'break', '__loc__'])
const RESERVED_WORDS = new Set([...REFUSED_WORDS, 'and', 'as', 'catch', 'elif', 'else', 'end', 'if', 'module', 'or', 'then', 'try'])
const ASSIGNMENTS = new Set(['=', '|=', '+=', '-=', '*=', '/=', '%=', '//=', '?//'])

const COMPARISONS = new Set(['==', '!=', '<', '<=', '>', '>='])
const SUMS = new Set(['+', '-'])
const PRODUCTS = new Set(['*', '/', '%'])

/** Parses a query. Throws JqSyntaxError, also for parts of jq that are not implemented. */
export function parseQuery(text: string): JqNode {
  if (text.length > MAX_QUERY_LENGTH) throw syntaxError(`a query may have at most ${MAX_QUERY_LENGTH} characters`, MAX_QUERY_LENGTH)
  return new QueryParser(text).query()
}

/** Recursive descent, in the order of jq's precedences: `|`, `,`, `//`, `or`, `and`, comparisons, sums, products. */
class QueryParser {
  readonly #scanner: JqScanner
  #token: JqToken
  #depth = 0
  #variables: readonly string[] = []

  constructor(text: string) {
    this.#scanner = new JqScanner(text)
    this.#token = this.#scanner.next()
  }

  query(): JqNode {
    const node = this.#pipe()
    if (this.#token.kind !== 'end') throw this.#unexpected()
    return node
  }

  #pipe(): JqNode {
    if (++this.#depth > MAX_DEPTH) throw syntaxError('the query is nested too deeply', this.#token.at)
    const left = this.#comma()
    const node = this.#takes('|') ? ({ kind: 'pipe', left, right: this.#pipe() } as const) : left
    this.#depth--
    return node
  }

  #comma(): JqNode {
    let left = this.#alternative()
    while (this.#takes(',')) left = { kind: 'comma', left, right: this.#alternative() }
    return left
  }

  #alternative(): JqNode {
    const operands: JqNode[] = []
    do operands.push(this.#or())
    while (this.#takes('//'))
    if (this.#isOperator(ASSIGNMENTS)) throw syntaxError(`operator "${this.#token.text}" is not supported`, this.#token.at)
    return operands.reduceRight((right, left) => ({ kind: 'alternative', left, right }))
  }

  #or(): JqNode {
    let left = this.#and()
    while (this.#takesWord('or')) left = { kind: 'or', left, right: this.#and() }
    return left
  }

  #and(): JqNode {
    let left = this.#comparison()
    while (this.#takesWord('and')) left = { kind: 'and', left, right: this.#comparison() }
    return left
  }

  #comparison(): JqNode {
    const left = this.#binary(SUMS, () => this.#binary(PRODUCTS, () => this.#unary()))
    if (!this.#isOperator(COMPARISONS)) return left
    const operator = this.#advance().text as ValueOperator
    return { kind: 'operator', operator, left, right: this.#binary(SUMS, () => this.#binary(PRODUCTS, () => this.#unary())) }
  }

  #binary(operators: ReadonlySet<string>, operand: () => JqNode): JqNode {
    let left = operand()
    while (this.#isOperator(operators)) left = { kind: 'operator', operator: this.#advance().text as ValueOperator, left, right: operand() }
    return left
  }

  #unary(): JqNode {
    return this.#takes('-') ? { kind: 'negate', operand: this.#postfix() } : this.#postfix()
  }

  /** Parses a term with its suffixes, and `term as $name | body`, which extends as far as possible. */
  #postfix(): JqNode {
    let node = this.#term()
    for (let next = this.#suffix(node); next !== undefined; next = this.#suffix(node)) node = next
    if (!this.#takesWord('as')) return node
    if (this.#token.kind !== 'variable') throw this.#unexpected('destructuring is not supported: expected a variable after "as"')
    const name = this.#advance().text
    this.#expect('|')
    const outer = this.#variables
    this.#variables = [...outer, name]
    const body = this.#pipe()
    this.#variables = outer
    return { kind: 'bind', source: node, name, body }
  }

  #suffix(target: JqNode): JqNode | undefined {
    if (this.#token.kind === 'field') return { kind: 'index', target, index: literal(this.#advance().text) }
    if (this.#takes('?')) return { kind: 'try', body: target, handler: undefined }
    if (this.#takes('[')) return this.#bracket(target)
    if (!this.#takes('.')) return undefined
    if (this.#takes('[')) return this.#bracket(target)
    if (this.#token.kind === 'quote') return { kind: 'index', target, index: this.#text() }
    throw this.#unexpected()
  }

  /** Parses the rest of `[]`, `[index]`, `[from:to]`. */
  #bracket(target: JqNode): JqNode {
    if (this.#takes(']')) return { kind: 'iterate', target }
    const from = this.#takes(':') ? undefined : this.#pipe()
    if (from !== undefined && !this.#takes(':')) {
      this.#expect(']')
      return { kind: 'index', target, index: from }
    }
    const to = from !== undefined && this.#takes(']') ? undefined : this.#pipe()
    if (to !== undefined) this.#expect(']')
    return { kind: 'slice', target, from, to }
  }

  #term(): JqNode {
    const token = this.#token
    switch (token.kind) {
      case 'field':
        this.#advance()
        return { kind: 'index', target: { kind: 'identity' }, index: literal(token.text) }
      case 'number':
        this.#advance()
        return literal(/^[0-9]+$/.test(token.text) ? BigInt(token.text) : Number(token.text))
      case 'quote':
        return this.#text()
      case 'variable':
        return this.#variable()
      case 'word':
        return this.#wordTerm()
      case 'format':
        throw syntaxError(`format "${token.text}" is not supported`, token.at)
      default:
        return this.#operatorTerm()
    }
  }

  #operatorTerm(): JqNode {
    if (this.#takes('..')) return { kind: 'recurse' }
    if (this.#takes('(')) {
      const node = this.#pipe()
      this.#expect(')')
      return node
    }
    if (this.#takes('[')) {
      const items = this.#is(']') ? undefined : this.#pipe()
      this.#expect(']')
      return { kind: 'array', items }
    }
    if (this.#takes('{')) return { kind: 'object', entries: this.#entries() }
    if (!this.#takes('.')) throw this.#unexpected()
    const identity = { kind: 'identity' } as const
    if (this.#token.kind === 'quote') return { kind: 'index', target: identity, index: this.#text() }
    return identity
  }

  #variable(): JqNode {
    const { text: name, at } = this.#advance()
    if (REFUSED_WORDS.has(name)) throw syntaxError(`"$${name}" is not supported`, at)
    if (!this.#variables.includes(name)) throw syntaxError(`variable not defined: $${name}`, at)
    return { kind: 'variable', name }
  }

  #wordTerm(): JqNode {
    const { text: name, at } = this.#advance()
    if (REFUSED_WORDS.has(name)) throw syntaxError(`"${name}" is not supported`, at)
    switch (name) {
      case 'if':
        return this.#if()
      case 'try': {
        const body = this.#postfixOnly()
        return { kind: 'try', body, handler: this.#takesWord('catch') ? this.#postfixOnly() : undefined }
      }
      case 'null':
      case 'true':
      case 'false':
        return literal(name === 'null' ? null : name === 'true')
      default:
        if (RESERVED_WORDS.has(name)) throw syntaxError(`unexpected "${name}"`, at)
        return { kind: 'call', name, args: this.#arguments(), at }
    }
  }

  /** Parses a term with its suffixes, as the body of `try`. */
  #postfixOnly(): JqNode {
    let node = this.#term()
    for (let next = this.#suffix(node); next !== undefined; next = this.#suffix(node)) node = next
    return node
  }

  #if(): JqNode {
    const branches: Branch[] = []
    do {
      const condition = this.#pipe()
      this.#expectWord('then')
      branches.push({ condition, result: this.#pipe() })
    } while (this.#takesWord('elif'))
    const otherwise = this.#takesWord('else') ? this.#pipe() : undefined
    this.#expectWord('end')
    return { kind: 'if', branches, otherwise }
  }

  #arguments(): JqNode[] {
    const args: JqNode[] = []
    if (!this.#takes('(')) return args
    do args.push(this.#pipe())
    while (this.#takes(';'))
    this.#expect(')')
    return args
  }

  #entries(): ObjectEntry[] {
    const entries: ObjectEntry[] = []
    while (!this.#takes('}')) {
      if (entries.length > 0) {
        this.#expect(',')
        if (this.#takes('}')) break
      }
      entries.push(this.#entry())
    }
    return entries
  }

  #entry(): ObjectEntry {
    if (this.#token.kind === 'variable') {
      const { text } = this.#token
      return { key: literal(text), value: this.#variable() }
    }
    const key = this.#key()
    if (!this.#takes(':')) return { key, value: { kind: 'index', target: { kind: 'identity' }, index: key } }
    let value = this.#or()
    while (this.#takes('|')) value = { kind: 'pipe', left: value, right: this.#or() }
    return { key, value }
  }

  #key(): JqNode {
    if (this.#token.kind === 'word') return literal(this.#advance().text)
    if (this.#token.kind === 'quote') return this.#text()
    if (!this.#takes('(')) throw this.#unexpected()
    const key = this.#pipe()
    this.#expect(')')
    return key
  }

  #text(): JqNode {
    const parts: (string | JqNode)[] = []
    for (;;) {
      const { text, isEnd } = this.#scanner.textPart()
      if (text !== '') parts.push(text)
      if (isEnd) break
      this.#advance()
      parts.push(this.#pipe())
      // The scanner goes on inside the text, so no token is read after the parenthesis.
      if (!this.#is(')')) throw this.#unexpected()
    }
    this.#advance()
    const [only = ''] = parts
    return parts.length <= 1 && typeof only === 'string' ? literal(only) : { kind: 'text', parts }
  }

  #advance(): JqToken {
    const token = this.#token
    this.#token = this.#scanner.next()
    return token
  }

  #is(operator: string): boolean {
    return this.#token.kind === 'operator' && this.#token.text === operator
  }

  #isOperator(operators: ReadonlySet<string>): boolean {
    return this.#token.kind === 'operator' && operators.has(this.#token.text)
  }

  #takes(operator: string): boolean {
    const isNext = this.#is(operator)
    if (isNext) this.#advance()
    return isNext
  }

  #takesWord(word: string): boolean {
    const isNext = this.#token.kind === 'word' && this.#token.text === word
    if (isNext) this.#advance()
    return isNext
  }

  #expect(operator: string): void {
    if (!this.#takes(operator)) throw this.#unexpected(`expected "${operator}"`)
  }

  #expectWord(word: string): void {
    if (!this.#takesWord(word)) throw this.#unexpected(`expected "${word}"`)
  }

  #unexpected(instead = ''): Error {
    const { kind, text, at } = this.#token
    const found = kind === 'end' ? 'unexpected end of query' : `unexpected ${JSON.stringify(kind === 'field' ? `.${text}` : text)}`
    return syntaxError(instead === '' ? found : `${found}, ${instead}`, at)
  }
}

const literal = (value: null | boolean | number | bigint | string): JqNode => ({ kind: 'literal', value })
