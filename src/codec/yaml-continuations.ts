import { isStepDone, type Steps } from '../lib/steps.ts'

/** Limits: the indentation of a line in columns, and the growth of a text in characters. */
const MOST_COLUMNS = 1000
const MOST_GROWTH = 4 * 1024 * 1024

/**
 * Indents continuation lines within brackets or quotes below the node that holds them, which js-yaml requires and go-yaml does not, and replaces tabs between
 * brackets by blanks. Neither changes the value or the line numbers. Undefined if there is nothing to change, or too much.
 */
export function* indentContinuations(source: string): Steps<string | undefined> {
  const scan = new Continuations(source)
  while (scan.at < source.length) yield* scan.line()
  return scan.result()
}

/** Characters that are significant between brackets. Others are parts of plain scalars. */
const IN_FLOW = /[[\]{},:"'#\t\n]/g
const LINE_END = /\n/g
/** Characters that can end a quoted text or begin a line or an escape in it, by quote. */
const IN_QUOTES: Readonly<Record<string, RegExp>> = { '"': /["\\\n]/g, "'": /['\n]/g }

class Continuations {
  at = 0
  readonly #source: string
  readonly #pieces: string[] = []
  /** Offset up to which the text has been copied. */
  #copied = 0
  #growth = 0
  /** Column of the parent node of a block scalar, which ends at a line that is not indented deeper. Undefined outside block scalars. */
  #blockColumn: number | undefined
  /** Column to which continuation lines are indented. */
  #wanted = 0

  constructor(source: string) {
    this.#source = source
  }

  result(): string | undefined {
    if (this.#copied === 0 || this.#growth > MOST_GROWTH) return undefined
    return this.#pieces.join('') + this.#source.slice(this.#copied)
  }

  /** Processes a line that begins outside brackets and quotes, up to the end of the nodes that it opens. */
  *line(): Steps<void> {
    if (isStepDone()) yield
    const start = this.at
    while (this.#peek() === ' ') this.at++
    const indent = this.at - start
    if (this.#blockColumn !== undefined) {
      if (isBreak(this.#peek()) || indent > this.#blockColumn) {
        this.#skipLine()
        return
      }
      this.#blockColumn = undefined
    }
    let marker = indent - 1
    while ((this.#peek() === '-' || this.#peek() === '?') && this.#source[this.at + 1] === ' ') {
      marker = this.at - start
      this.at++
      while (this.#peek() === ' ') this.at++
    }
    const column = this.at - start
    this.#wanted = column + 1
    if (column < MOST_COLUMNS) yield* this.#nodes(column, marker)
    this.#skipLine()
  }

  /** Processes the nodes of a line: a value, or keys and their value. */
  *#nodes(column: number, marker: number): Steps<void> {
    let isValue = false
    for (;;) {
      while (this.#peek() === ' ' || this.#peek() === '&' || this.#peek() === '!') this.#skipProperty()
      const first = this.#peek()
      if (first === '|' || first === '>') {
        this.#blockColumn = isValue ? column : marker
        return
      }
      if (first === '"' || first === "'") yield* this.#quoted(first)
      else if (first === '[' || first === '{') yield* this.#flow()
      else if (first === '#' || isBreak(first)) return
      while (!isBreak(this.#peek()) && !this.#isColon() && !this.#isComment()) this.at++
      if (!this.#isColon()) return
      this.at++
      isValue = true
    }
  }

  /** Skips a blank, a tag or an anchor. */
  #skipProperty(): void {
    if (this.#peek() !== ' ') while (this.#peek() !== ' ' && !isBreak(this.#peek())) this.at++
    while (this.#peek() === ' ') this.at++
  }

  *#quoted(quote: string): Steps<void> {
    const next = IN_QUOTES[quote]
    this.at++
    while (next !== undefined && this.#skipTo(next)) {
      if (isStepDone()) yield
      const c = this.#peek()
      this.at++
      if (c === '\n') this.#indent()
      else if (c === quote && (quote === '"' || this.#peek() !== quote)) return
      else if (c === quote || this.#peek() !== '\n') this.at++
    }
    this.at = this.#source.length
  }

  *#flow(): Steps<void> {
    let depth = 0
    /** Whether a scalar may begin here. */
    let isNext = true
    do {
      if (isStepDone()) yield
      const from = this.at
      if (!this.#skipTo(IN_FLOW)) return
      if (/[^ \r]/.test(this.#source.slice(from, this.at))) isNext = false
      const c = this.#peek()
      if (isNext && (c === '"' || c === "'")) {
        yield* this.#quoted(c)
        isNext = false
        continue
      }
      if (this.#isComment()) this.#skipTo(LINE_END)
      else if (c === '\t') this.#tab()
      else this.at++
      if (c === '[' || c === '{') depth++
      else if (c === ']' || c === '}') depth--
      if (c === '\n') this.#indent()
      else if (c !== '\t' && c !== '#') isNext = c !== undefined && '[{,:'.includes(c)
    } while (depth > 0 && this.at < this.#source.length)
  }

  /** Replaces a tab beside an indicator or at an end of the line by a blank. */
  #tab(): void {
    const before = this.#source[this.at - 1] ?? ''
    const after = this.#source[this.at + 1] ?? ''
    if (/[[{,:\t ]/.test(before) || /[\]},#\t \r\n]/.test(after)) this.#replace(this.at, this.at + 1, ' ')
    this.at++
  }

  /** Indents the current line, unless it is empty. */
  #indent(): void {
    const start = this.at
    while (this.#peek() === ' ' || this.#peek() === '\t') this.at++
    if (isBreak(this.#peek())) return
    const blanks = this.#source.slice(start, this.at)
    if (blanks.includes('\t') || blanks.length < this.#wanted) this.#replace(start, this.at, ' '.repeat(Math.max(this.#wanted, blanks.length)))
  }

  #replace(from: number, to: number, text: string): void {
    this.#growth += text.length
    if (this.#growth > MOST_GROWTH) return
    this.#pieces.push(this.#source.slice(this.#copied, from), text)
    this.#copied = to
  }

  /** Advances to the next match of the pattern. Without a match, advances to the end of the text and returns false. */
  #skipTo(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.#source)
    this.at = found?.index ?? this.#source.length
    return found !== null
  }

  #peek(): string | undefined {
    return this.#source[this.at]
  }

  #isColon(): boolean {
    return this.#peek() === ':' && (this.#source[this.at + 1] === ' ' || isBreak(this.#source[this.at + 1]))
  }

  #isComment(): boolean {
    return this.#peek() === '#' && /\s/.test(this.#source[this.at - 1] ?? '\n')
  }

  #skipLine(): void {
    const end = this.#source.indexOf('\n', this.at)
    this.at = end < 0 ? this.#source.length : end + 1
  }
}

const isBreak = (c: string | undefined): boolean => c === undefined || c === '\n' || c === '\r'
