import { TemplateError } from './errors.ts'

/** A token of a template. `text` is its source. */
export interface TemplateToken {
  readonly kind: TokenKind
  readonly text: string
  /** Line of the source, from 1. */
  readonly line: number
}

/** `open` and `close` are delimiters of an action. `raw` is a string in backquotes. `end` is the last token. */
export type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'space'
  | 'string'
  | 'raw'
  | 'char'
  | 'number'
  | 'field'
  | 'variable'
  | 'word'
  | 'dot'
  | 'sign'
  | 'end'

/** Longest template, in characters. */
export const MAX_TEMPLATE_LENGTH = 100_000

/** Sticky patterns, which match only at the position of the lexer. */
const SPACE = /[ \t\r\n]+/y
const STRING = /"(?:[^"\\\n]|\\[^\n])*"/y
const RAW = /`[^`]*`/y
const CHAR = /'(?:[^'\\\n]|\\[^\n])*'/y
const NUMBER =
  /[+-]?(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?)(?![\p{L}\p{Nd}_])/uy
const FIELD = /\.[\p{L}\p{Nd}_]+/uy
const VARIABLE = /\$[\p{L}\p{Nd}_]*/uy
const WORD = /[\p{L}\p{Nd}_]+/uy
const SIGN = /:=|[=|(),]/y

/** Tokens inside an action, in the order in which they are tried. */
const FORMS: readonly (readonly [TokenKind, RegExp])[] = [
  ['string', STRING],
  ['raw', RAW],
  ['char', CHAR],
  ['number', NUMBER],
  ['field', FIELD],
  ['variable', VARIABLE],
  ['word', WORD],
  ['sign', SIGN],
]
/** Tokens that need a separator after them. */
const WORDS: ReadonlySet<TokenKind> = new Set(['field', 'variable', 'word'])
/** Characters that may follow a field, variable or word. */
const TERMINATOR = /[ \t\r\n.,|:)(]|\}\}|$/y

/**
 * Splits a template into tokens. Comments and trimmed spaces are left out. Throws TemplateError. Source: Go,
 * text/template/parse/lex.go.
 */
export function lexTemplate(source: string): TemplateToken[] {
  if (source.length > MAX_TEMPLATE_LENGTH) throw new TemplateError(`a template may have at most ${MAX_TEMPLATE_LENGTH} characters`)
  return new TemplateLexer(source).tokens()
}

/** Creates an error with its line. */
export const templateError = (line: number, message: string): TemplateError => new TemplateError(`template: line ${line}: ${message}`)

/** Position in a template, with the tokens so far. */
class TemplateLexer {
  readonly #source: string
  readonly #tokens: TemplateToken[] = []
  #at = 0
  #line = 1

  constructor(source: string) {
    this.#source = source
  }

  tokens(): TemplateToken[] {
    while (this.#at < this.#source.length) {
      this.#text()
      if (this.#at < this.#source.length) this.#action()
    }
    this.#push('end', '')
    return this.#tokens
  }

  /** Reads the text up to the next action, without spaces that `{{- ` trims. */
  #text(): void {
    const open = this.#source.indexOf('{{', this.#at)
    const end = open < 0 ? this.#source.length : open
    const text = this.#source.slice(this.#at, end)
    const kept = open >= 0 && this.#isTrimmed(open + 2) ? text.slice(0, trimmedEnd(text)) : text
    if (kept !== '') this.#tokens.push({ kind: 'text', text: kept, line: this.#line })
    this.#moveTo(end)
  }

  /** Reports whether `- ` stands at an offset. */
  #isTrimmed(at: number): boolean {
    return this.#source[at] === '-' && isTemplateSpace(this.#source[at + 1])
  }

  /** Reads an action or a comment. */
  #action(): void {
    const start = this.#at + 2
    const at = this.#isTrimmed(start) ? start + 2 : start
    if (this.#source.startsWith('/*', at)) {
      this.#comment(at)
      return
    }
    this.#push('open', '{{')
    this.#moveTo(at)
    while (!this.#close()) this.#inside()
  }

  /** Skips a comment, which must be the whole action. */
  #comment(at: number): void {
    const end = this.#source.indexOf('*/', at + 2)
    if (end < 0) throw templateError(this.#line, 'unclosed comment')
    this.#moveTo(end + 2)
    if (!this.#close()) throw templateError(this.#line, 'comment ends before closing delimiter')
    this.#tokens.pop()
  }

  /** Reads `}}` or ` -}}`, after which spaces are skipped. */
  #close(): boolean {
    const trims = isTemplateSpace(this.#source[this.#at]) && this.#source.startsWith('-}}', this.#at + 1)
    if (!trims && !this.#source.startsWith('}}', this.#at)) return false
    this.#push('close', '}}')
    this.#moveTo(this.#at + (trims ? 4 : 2))
    if (trims) this.#match(SPACE)
    return true
  }

  /** Reads a token of an action. */
  #inside(): void {
    if (this.#at >= this.#source.length) throw templateError(this.#line, 'unclosed action')
    const line = this.#line
    const space = this.#matchSpace()
    if (space !== '') {
      this.#tokens.push({ kind: 'space', text: space, line })
      return
    }
    for (const [kind, form] of FORMS) {
      const text = this.#match(form)
      if (text === '') continue
      if (WORDS.has(kind)) this.#expectTerminator()
      this.#tokens.push({ kind, text, line })
      return
    }
    const char = this.#source[this.#at] ?? ''
    if (char === '.') {
      this.#moveTo(this.#at + 1)
      this.#expectTerminator()
      this.#tokens.push({ kind: 'dot', text: '.', line })
      return
    }
    if (char === '"') throw templateError(line, 'unterminated quoted string')
    throw templateError(line, char === '`' ? 'unterminated raw quoted string' : `unexpected ${JSON.stringify(char)} in action`)
  }

  /** Reads spaces, except the one of ` -}}`. */
  #matchSpace(): string {
    SPACE.lastIndex = this.#at
    const found = SPACE.exec(this.#source)?.[0] ?? ''
    const end = this.#at + found.length
    const text = found !== '' && this.#source.startsWith('-}}', end) ? found.slice(0, -1) : found
    this.#moveTo(this.#at + text.length)
    return text
  }

  /** Throws TemplateError unless a separator follows. */
  #expectTerminator(): void {
    TERMINATOR.lastIndex = this.#at
    if (!TERMINATOR.test(this.#source)) throw templateError(this.#line, `bad character ${JSON.stringify(this.#source[this.#at])}`)
  }

  /** Reads what a pattern matches. Empty if it does not match here. */
  #match(form: RegExp): string {
    form.lastIndex = this.#at
    const text = form.exec(this.#source)?.[0] ?? ''
    this.#moveTo(this.#at + text.length)
    return text
  }

  #push(kind: TokenKind, text: string): void {
    this.#tokens.push({ kind, text, line: this.#line })
  }

  /** Moves on, and counts lines. */
  #moveTo(at: number): void {
    for (let i = this.#at; i < at; i++) if (this.#source[i] === '\n') this.#line++
    this.#at = at
  }
}

const isTemplateSpace = (char: string | undefined): boolean => char === ' ' || char === '\t' || char === '\r' || char === '\n'

/** Returns the length of a text without the spaces at its end. */
function trimmedEnd(text: string): number {
  let end = text.length
  while (end > 0 && isTemplateSpace(text[end - 1])) end--
  return end
}
