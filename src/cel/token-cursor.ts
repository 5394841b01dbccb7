import { defined } from '../lib/invariant.ts'
import type { Steps } from '../lib/steps.ts'
import type { Issues } from './issues.ts'
import { EOF, IDENTIFIER, TOKEN_ORDER, type Token, type Tokens } from './lexer.ts'
import type { Source } from './source.ts'
import { CONTINUATIONS, OPERATORS, STARTS } from './token-sets.ts'

/** Thrown when there is no use in reading on; what is wrong has been reported. */
export class ParseStop extends Error {
  override readonly name = 'ParseStop'
}

/** As often cel-go goes on after an error. */
const MAX_RECOVERIES = 30

/** Line breaks within a token would break the line of the error. */
const escapeText = (text: string): string => text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')

/** Classes of tokens, which errors print without quotes. */
const NAMED = /^[A-Z]|^</

/** In the order of the grammar. */
function printSet(types: readonly string[]): string {
  const sorted = TOKEN_ORDER.filter(type => types.includes(type)).map(type => (NAMED.test(type) ? type : `'${type}'`))
  const all = sorted.join(', ')
  return sorted.length === 1 ? all : `{${all}}`
}

/** The tokens of an expression, read from front to back, and the words for a token that does not fit: those of cel-go's parser. */
export class TokenCursor {
  readonly #source: Source
  readonly #issues: Issues
  /** What the source ends with. */
  readonly #end: Token
  readonly #tokens: readonly Token[]
  #at = 0
  /** What may stand behind the term that is read, from the outermost bracket inward. */
  readonly #follow: (readonly string[])[] = [[EOF]]

  constructor({ tokens, faults }: Tokens, source: Source, issues: Issues) {
    this.#source = source
    this.#issues = issues
    this.#tokens = tokens
    this.#end = defined(tokens.at(-1), 'a source ends with a token')
    for (const { start, stop } of faults) this.#report(start, () => `token recognition error at: '${source.text(start, stop)}'`)
  }

  get current(): Token {
    return this.#tokens[this.#at] ?? this.#end
  }

  peek(distance = 1): Token {
    return this.#tokens[this.#at + distance] ?? this.#end
  }

  is(type: string): boolean {
    return this.current.type === type
  }

  take(): Token {
    const token = this.current
    if (token.type !== EOF) this.#at++
    return token
  }

  /** Takes the token if it is of the type. */
  accept(type: string): Token | undefined {
    return this.is(type) ? this.take() : undefined
  }

  /** Reads what stands inside a bracket, or before a colon. */
  *within<T>(follow: readonly string[], steps: Steps<T>): Steps<T> {
    this.#follow.push(follow)
    const result = yield* steps
    this.#follow.pop()
    return result
  }

  /** Takes a token of the type. One too many before it is skipped, and one that is missing supplied, where that lets the rest fit. */
  expect(type: string, expected: readonly string[] = [type]): Token {
    if (this.is(type)) return this.take()
    if (this.peek().type === type && !this.is(EOF)) {
      this.#unexpected('extraneous', expected)
      this.take()
      return this.take()
    }
    // Behind a colon stands an expression; behind a bracket what goes on with the term, or follows it.
    const fits =
      type === ':' ? STARTS.includes(this.current.type) : CONTINUATIONS.has(this.current.type) || this.#follow.at(-1)?.includes(this.current.type) === true
    if (expected.length === 1 && type !== EOF && fits) {
      this.#report(this.current.start, `missing ${printSet(expected)} at '${escapeText(this.current.text)}'`)
      return { ...this.current, type, text: type, stop: this.current.start }
    }
    return this.mismatch(expected)
  }

  /** Whether the dotted name at the cursor is that of a message: a brace follows. */
  beginsMessage(): boolean {
    let at = this.is('.') ? 2 : 1
    while (this.peek(at).type === '.' && this.peek(at + 1).type === IDENTIFIER) at += 2
    return this.peek(at).type === '{'
  }

  /** Whether the token behind that at the cursor begins an element of a list or an entry of a map. */
  elementFollows(): boolean {
    const { type } = this.peek()
    return type === '?' || STARTS.includes(type)
  }

  /** Comes before a choice between the given beginnings: a single token that is none, before one that is, is skipped. */
  expectOneOf(expected: readonly string[], message = expected): void {
    if (expected.includes(this.current.type)) return
    if (this.is(EOF) || !expected.includes(this.peek().type)) this.mismatch(message)
    this.#unexpected('extraneous', message)
    this.take()
  }

  /** Nothing lets the rest fit: reports and stops. */
  mismatch(expected: readonly string[]): never {
    this.#unexpected('mismatched', expected)
    this.#goOn(0)
    throw new ParseStop()
  }

  /** The token at the cursor goes on no sequence of `!`: nothing else is reported of what is wrong with it. */
  unwanted(): never {
    this.#unexpected('extraneous', STARTS)
    this.#goOn(0)
    throw new ParseStop()
  }

  /** cel-go goes on at an operator that stands where a term should, as if the term before it were there: what is wrong behind it is reported, too. */
  #goOn(distance: number): void {
    for (let at = distance; OPERATORS.has(this.peek(at).type); at++) {
      const next = this.peek(at + 1)
      if (STARTS.includes(next.type)) return
      const isExtra = next.type !== EOF && STARTS.includes(this.peek(at + 2).type)
      this.#report(next.start, `${isExtra ? 'extraneous' : 'mismatched'} input '${escapeText(next.text)}' expecting ${printSet(STARTS)}`)
      if (isExtra) return
      if (at - distance + 1 < MAX_RECOVERIES) continue
      this.#report(next.start, `error recovery attempt limit exceeded: ${MAX_RECOVERIES}`)
      return
    }
  }

  /** No rule goes on from the token that begins at the cursor to the one at the distance. */
  noAlternative(distance: number): never {
    const reserved = /^.(true|false|null)$/.exec(this.#textUpTo(distance))?.[1]
    if (reserved) this.#report(this.peek(distance).start, `mismatched input '${reserved}' expecting IDENTIFIER`)
    else {
      this.reportNoAlternative(distance)
      this.#goOn(distance)
    }
    throw new ParseStop()
  }

  /** The same where cel-go goes on as if the first of the tokens were enough. */
  reportNoAlternative(distance: number): void {
    this.#report(this.peek(distance).start, `no viable alternative at input '${escapeText(this.#textUpTo(distance))}'`)
  }

  /** Of the tokens from the cursor on, with the blanks between them; what begins no token is left out. */
  #textUpTo(distance: number): string {
    let text = this.current.text
    for (let i = 1; i <= distance; i++) {
      const { type, text: more, start } = this.peek(i)
      text += this.#source.text(this.peek(i - 1).stop, start).replace(/\S/g, '') + (type === EOF ? '' : more)
    }
    return text
  }

  #unexpected(how: 'extraneous' | 'mismatched', expected: readonly string[]): void {
    this.#report(this.current.start, `${how} input '${escapeText(this.current.text)}' expecting ${printSet(expected)}`)
  }

  #report(offset: number, message: string | (() => string)): void {
    const location = this.#source.points.length === 0 ? { line: 1, column: -1 } : this.#source.locationOf(offset)
    this.#issues.report(location, () => `Syntax error: ${typeof message === 'string' ? message : message()}`)
  }
}
