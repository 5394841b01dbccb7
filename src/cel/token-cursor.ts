import { defined } from '../lib/invariant.ts'
import type { Steps } from '../lib/steps.ts'
import type { Issues } from './issues.ts'
import { EOF, IDENTIFIER, TOKEN_ORDER, type Token, type Tokens } from './lexer.ts'
import type { Source } from './source.ts'
import { CONTINUATIONS, OPERATORS, STARTS } from './token-sets.ts'

/** Thrown to stop parsing after an error has been reported. */
export class ParseStop extends Error {
  override readonly name = 'ParseStop'
}

/** Limit for error recoveries. cel-go's default. */
const MAX_RECOVERIES = 30

/** Escapes line breaks and tabs, so that an error fits into one line. */
const escapeText = (text: string): string => text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')

/** Token classes. Errors print them without quotes. */
const NAMED = /^[A-Z]|^</

/** Prints expected tokens in the order of the grammar. */
function printSet(types: readonly string[]): string {
  const sorted = TOKEN_ORDER.filter(type => types.includes(type)).map(type => (NAMED.test(type) ? type : `'${type}'`))
  const all = sorted.join(', ')
  return sorted.length === 1 ? all : `{${all}}`
}

/**
 * Cursor over the tokens of an expression. It recovers from syntax errors and reports them with the messages of
 * cel-go's ANTLR parser.
 */
export class TokenCursor {
  readonly #source: Source
  readonly #issues: Issues
  /** The `<EOF>` token. */
  readonly #end: Token
  readonly #tokens: readonly Token[]
  #at = 0
  /** Tokens that may follow the current term, for each enclosing bracket from the outermost inward. */
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

  /** Takes the current token if it has the type. */
  accept(type: string): Token | undefined {
    return this.is(type) ? this.take() : undefined
  }

  /** Reads a term that is followed by one of the given tokens, such as a closing bracket. */
  *within<T>(follow: readonly string[], steps: Steps<T>): Steps<T> {
    this.#follow.push(follow)
    const result = yield* steps
    this.#follow.pop()
    return result
  }

  /**
   * Takes a token of the type. An extraneous token before it is skipped, and a missing one is inserted if the next
   * token then fits.
   */
  expect(type: string, expected: readonly string[] = [type]): Token {
    if (this.is(type)) return this.take()
    if (this.peek().type === type && !this.is(EOF)) {
      this.#unexpected('extraneous', expected)
      this.take()
      return this.take()
    }
    // An expression must follow a colon. A closing bracket must be followed by a continuation of the term, or by a
    // token of the enclosing rule.
    const fits =
      type === ':'
        ? STARTS.includes(this.current.type)
        : CONTINUATIONS.has(this.current.type) || this.#follow.at(-1)?.includes(this.current.type) === true
    if (expected.length === 1 && type !== EOF && fits) {
      this.#report(this.current.start, `missing ${printSet(expected)} at '${escapeText(this.current.text)}'`)
      return { ...this.current, type, text: type, stop: this.current.start }
    }
    return this.mismatch(expected)
  }

  /** Reports whether the dotted name at the cursor is followed by a brace, and so names a message. */
  beginsMessage(): boolean {
    let at = this.is('.') ? 2 : 1
    while (this.peek(at).type === '.' && this.peek(at + 1).type === IDENTIFIER) at += 2
    return this.peek(at).type === '{'
  }

  /** Reports whether an element of a list or entry of a map begins after the current token. */
  elementFollows(): boolean {
    const { type } = this.peek()
    return type === '?' || STARTS.includes(type)
  }

  /**
   * Checks that the current token begins one of several alternatives. A single extraneous token before one is skipped.
   */
  expectOneOf(expected: readonly string[], message = expected): void {
    if (expected.includes(this.current.type)) return
    if (this.is(EOF) || !expected.includes(this.peek().type)) this.mismatch(message)
    this.#unexpected('extraneous', message)
    this.take()
  }

  /** Reports a mismatched token and stops. */
  mismatch(expected: readonly string[]): never {
    this.#unexpected('mismatched', expected)
    this.#goOn(0)
    throw new ParseStop()
  }

  /** Reports a token that cannot continue a run of `!`, and stops. No further error is reported for it. */
  unwanted(): never {
    this.#unexpected('extraneous', STARTS)
    this.#goOn(0)
    throw new ParseStop()
  }

  /**
   * Reports further errors as cel-go does: at an operator without a left operand, it continues as if the operand were
   * there.
   */
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

  /** Reports that no grammar rule matches the tokens up to a distance from the cursor, and stops. */
  noAlternative(distance: number): never {
    const reserved = /^.(true|false|null)$/.exec(this.#textUpTo(distance))?.[1]
    if (reserved) this.#report(this.peek(distance).start, `mismatched input '${reserved}' expecting IDENTIFIER`)
    else {
      this.reportNoAlternative(distance)
      this.#goOn(distance)
    }
    throw new ParseStop()
  }

  /** Reports the same error without stopping: cel-go continues as if only the first token had been read. */
  reportNoAlternative(distance: number): void {
    this.#report(this.peek(distance).start, `no viable alternative at input '${escapeText(this.#textUpTo(distance))}'`)
  }

  /** Returns the source text from the cursor up to a distance in tokens, without characters that begin no token. */
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
