import { JqSyntaxError } from './errors.ts'

/** A token. `text` is the name of a word, field, variable or format, the digits of a number, and an operator itself. */
export interface JqToken {
  readonly kind: 'word' | 'field' | 'variable' | 'format' | 'number' | 'quote' | 'operator' | 'end'
  readonly text: string
  /** Offset of the first character. */
  readonly at: number
}

/** Sticky patterns, which match only at the position of the scanner. A comment ends with its line. */
const SPACE = /[ \t\r\n]+|#[^\n]*/y
/** Field access with a plain name. Other names are quoted or in brackets. */
const FIELD = /\.([A-Za-z_][A-Za-z0-9_]*)/y
/** Number without a sign, which is an operator. */
const NUMBER = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y
/** Keyword or function, perhaps of a module. */
const WORD = /[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*/y
const VARIABLE = /\$(?:[A-Za-z_][A-Za-z0-9_]*)/y
const FORMAT = /@[A-Za-z0-9_]+/y
/** Operators, of which longer ones are tried first. */
const OPERATOR = /\?\/\/=?|\/\/=?|\|=|[-+*/%=!<>]=|\.\.|[-.[\]{}()|,:;=<>+*/%?]/y
/** Characters of escapes with one letter. */
const ESCAPES: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Splits a query into tokens on demand. After a `quote`, the parser reads the text itself with `textPart`. */
export class JqScanner {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  /** Returns the next token. Throws JqSyntaxError for a character that begins none. */
  next(): JqToken {
    while (this.#match(SPACE) !== undefined);
    const at = this.#at
    if (at >= this.#source.length) return { kind: 'end', text: 'end of query', at }
    if (this.#source[at] === '"') {
      this.#at++
      return { kind: 'quote', text: '"', at }
    }
    const field = this.#match(FIELD)
    if (field !== undefined) return { kind: 'field', text: field.slice(1), at }
    for (const [kind, form] of [
      ['number', NUMBER],
      ['word', WORD],
      ['variable', VARIABLE],
      ['format', FORMAT],
      ['operator', OPERATOR],
    ] as const) {
      const text = this.#match(form)
      if (text !== undefined && text !== '') return { kind, text: kind === 'variable' ? text.slice(1) : text, at }
    }
    throw syntaxError(`unexpected character ${JSON.stringify(String.fromCodePoint(this.#source.codePointAt(at) ?? 0))}`, at)
  }

  /**
   * Reads a text until its closing quote, or until `\(`, which begins an interpolated query. Call it after a `quote`,
   * and after the `)` of a query.
   */
  textPart(): { readonly text: string; readonly isEnd: boolean } {
    const start = this.#at
    let text = ''
    for (;;) {
      const char = this.#source[this.#at++]
      if (char === undefined) throw syntaxError('unterminated string', start - 1)
      if (char === '"') return { text, isEnd: true }
      if (char !== '\\') {
        text += char
        continue
      }
      const letter = this.#source[this.#at++] ?? ''
      if (letter === '(') return { text, isEnd: false }
      text += letter === 'u' ? this.#unicode() : (ownEscape(letter) ?? this.#badEscape(letter))
    }
  }

  /** Reads the four digits of `\u`. Surrogates stay as they are. */
  #unicode(): string {
    const digits = this.#source.slice(this.#at, this.#at + 4)
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw syntaxError('invalid escape sequence "\\u" in string', this.#at - 2)
    this.#at += 4
    return String.fromCharCode(Number.parseInt(digits, 16))
  }

  #badEscape(letter: string): never {
    throw syntaxError(`invalid escape sequence "\\${letter}" in string`, this.#at - 2)
  }

  /** Reads what a pattern matches. Undefined if it does not match here. */
  #match(form: RegExp): string | undefined {
    form.lastIndex = this.#at
    const text = form.exec(this.#source)?.[0]
    if (text !== undefined) this.#at += text.length
    return text
  }
}

const ownEscape = (letter: string): string | undefined => (Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined)

/** Creates an error with its position, counted from 1. */
export const syntaxError = (message: string, at: number): JqSyntaxError => new JqSyntaxError(`${message} at position ${at + 1}`)
