/** Where an error is. */
export interface ProblemPosition {
  /** Line that go-yaml reports, counted from zero. */
  readonly line: number
  /** Offset of the text that has to be corrected. */
  readonly at: number
}

/** A syntax error. */
export class YamlProblem extends Error {
  override readonly name = 'YamlProblem'
  readonly position: ProblemPosition
  /** Whether go-yaml's scanner reports the error, and not its parser. Their messages name lines differently. */
  readonly ofScanner: boolean

  constructor(problem: string, position: ProblemPosition, ofScanner: boolean) {
    super(problem)
    this.position = position
    this.ofScanner = ofScanner
  }
}

/** Whether a code unit ends a line. NaN, which stands for the end of the text, does not. */
const endsLine = (unit: number): boolean => unit === 0x0a || unit === 0x0d || unit === 0x85 || unit === 0x2028 || unit === 0x2029
const isBlankUnit = (unit: number): boolean => unit === 0x20 || unit === 0x09

const endsWord = (unit: number): boolean => Number.isNaN(unit) || isBlankUnit(unit) || endsLine(unit)

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800

/** Characters that go-yaml examines for a document marker: `---` or `...`, and a blank. */
const MARK_LENGTH = 4

/** A colon ends a plain scalar if a blank follows it. */
const COLON = 0x3a
/** Indicators that end a plain scalar between brackets. */
const FLOW_INDICATORS = new Set([',', '?', '[', ']', '{', '}'].map(char => char.charCodeAt(0)))

/** A position in a text, with its line. The empty string stands for the end of the text. */
export class YamlCursor {
  readonly #text: string
  readonly #hasPairs: boolean
  /** Number of surrogate pairs before the offset `counted`. */
  #pairs = 0
  #counted = 0
  /** Offset of the cursor in UTF-16 code units. */
  at = 0
  /** Offset after the last character that was examined for a document marker. */
  #lookedTo = 0
  /** Line of the cursor, counted from zero. */
  line = 0
  /** Column of the cursor, counted from zero, in UTF-16 code units. */
  column = 0

  constructor(text: string) {
    this.#text = text
    this.#hasPairs = /[\ud800-\udbff]/.test(text)
  }

  /** Code unit at the cursor. Empty at the end. */
  get char(): string {
    return this.#text[this.at] ?? ''
  }

  charAt(offset: number): string {
    return this.#text[this.at + offset] ?? ''
  }

  /** Reports whether a space or tab is at an offset from the cursor. */
  isBlank(offset = 0): boolean {
    return isBlankUnit(this.#text.charCodeAt(this.at + offset))
  }

  /** Reports whether a line break is at an offset from the cursor. */
  isBreak(offset = 0): boolean {
    return endsLine(this.#text.charCodeAt(this.at + offset))
  }

  isEnd(offset = 0): boolean {
    return this.at + offset >= this.#text.length
  }

  isBlankOrEnd(offset = 0): boolean {
    return endsWord(this.#text.charCodeAt(this.at + offset))
  }

  /** Skips one code unit, which must not be a line break. */
  skip(): void {
    this.at++
    this.column++
  }

  /** Skips a line break. `\r\n` is one. */
  skipLine(): void {
    this.at += this.char === '\r' && this.charAt(1) === '\n' ? 2 : 1
    this.column = 0
    this.line++
  }

  /**
   * Skips a line break and returns it as a scalar has it: separators of lines and paragraphs stay, others become a line
   * feed. Empty at the end of the text.
   */
  readBreak(): string {
    const { char } = this
    if (char === '') return ''
    this.skipLine()
    return char === '\u2028' || char === '\u2029' ? char : '\n'
  }

  /** Returns the text from an offset up to another one, by default the cursor. */
  textFrom(start: number, end = this.at): string {
    return this.#text.slice(start, end)
  }

  /** Number of characters before the cursor. go-yaml counts characters, of which some take two units here. */
  get index(): number {
    if (!this.#hasPairs) return this.at
    for (; this.#counted < this.at; this.#counted++) if (isHighSurrogate(this.#text.charCodeAt(this.#counted))) this.#pairs++
    return this.at - this.#pairs
  }

  /** Moves the cursor within its line. */
  #moveTo(at: number): void {
    this.column += at - this.at
    this.at = at
  }

  /** Skips spaces and tabs. */
  skipBlanks(): void {
    let { at } = this
    while (isBlankUnit(this.#text.charCodeAt(at))) at++
    this.#moveTo(at)
  }

  /** Skips the rest of the line, without its break. */
  skipToBreak(): void {
    const { length } = this.#text
    let { at } = this
    while (at < length && !endsLine(this.#text.charCodeAt(at))) at++
    this.#moveTo(at)
  }

  /** Skips a comment up to the end of its line, if the cursor is at one. */
  skipComment(): void {
    if (this.char === '#') this.skipToBreak()
  }

  /** Skips to a blank, a break, the end or one of two characters of a quoted scalar. */
  skipQuotedWord(quote: number, other: number): void {
    const text = this.#text
    let { at } = this
    for (let unit = text.charCodeAt(at); !endsWord(unit) && unit !== quote && unit !== other; unit = text.charCodeAt(at)) at++
    this.#moveTo(at)
  }

  /** Skips to a blank, a break, the end or an indicator that ends a plain scalar. */
  skipPlainWord(inFlow: boolean): void {
    const text = this.#text
    let { at } = this
    for (let unit = text.charCodeAt(at); !endsWord(unit); unit = text.charCodeAt(at)) {
      if ((unit === COLON && endsWord(text.charCodeAt(at + 1))) || (inFlow && FLOW_INDICATORS.has(unit))) break
      at++
    }
    this.#moveTo(at)
  }

  /** Whether characters have been read beyond an offset. */
  hasRead(offset: number): boolean {
    return Math.max(this.#lookedTo, this.at + 1) > offset
  }

  /** Throws an error of the scanner. `at`: its offset, if it is not that of the cursor. */
  fail(problem: string, at = this.at): never {
    throw new YamlProblem(problem, { line: this.line, at }, true)
  }

  /** Offset after the last character before the cursor that is neither a blank nor a break. */
  get textEnd(): number {
    let { at } = this
    for (let unit = this.#text.charCodeAt(at - 1); isBlankUnit(unit) || endsLine(unit); unit = this.#text.charCodeAt(at - 1)) at--
    return at
  }

  /** Returns which document marker is at the cursor: `---` or `...` at the beginning of a line. */
  documentMark(): 'document start' | 'document end' | undefined {
    this.#lookedTo = this.at + MARK_LENGTH
    if (this.column !== 0 || (this.char !== '-' && this.char !== '.') || !this.isBlankOrEnd(3)) return undefined
    const three = this.#text.slice(this.at, this.at + 3)
    return three === '---' ? 'document start' : three === '...' ? 'document end' : undefined
  }
}
