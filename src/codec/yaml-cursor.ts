/** A syntax error and its line, counted from zero. */
export class YamlProblem extends Error {
  override readonly name = 'YamlProblem'
  readonly line: number
  readonly ofScanner: boolean

  constructor(problem: string, line: number, ofScanner: boolean) {
    super(problem)
    this.line = line
    this.ofScanner = ofScanner
  }
}

/** Whether a code unit ends a line. NaN, which stands for the end of the text, does not. */
const endsLine = (unit: number): boolean => unit === 0x0a || unit === 0x0d || unit === 0x85 || unit === 0x2028 || unit === 0x2029
const isBlankUnit = (unit: number): boolean => unit === 0x20 || unit === 0x09

/** A position in a text, with its line. The empty string stands for the end of the text. */
export class YamlCursor {
  readonly #text: string
  at = 0
  line = 0
  column = 0

  constructor(text: string) {
    this.#text = text
  }

  get char(): string {
    return this.#text[this.at] ?? ''
  }

  charAt(offset: number): string {
    return this.#text[this.at + offset] ?? ''
  }

  isBlank(offset = 0): boolean {
    return isBlankUnit(this.#text.charCodeAt(this.at + offset))
  }

  isBreak(offset = 0): boolean {
    return endsLine(this.#text.charCodeAt(this.at + offset))
  }

  isEnd(offset = 0): boolean {
    return this.at + offset >= this.#text.length
  }

  isBlankOrEnd(offset = 0): boolean {
    const unit = this.#text.charCodeAt(this.at + offset)
    return Number.isNaN(unit) || isBlankUnit(unit) || endsLine(unit)
  }

  skip(): void {
    this.at++
    this.column++
  }

  skipLine(): void {
    this.at += this.char === '\r' && this.charAt(1) === '\n' ? 2 : 1
    this.column = 0
    this.line++
  }

  skipBlanks(): void {
    while (this.isBlank()) this.skip()
  }

  skipComment(): void {
    if (this.char !== '#') return
    while (!this.isBreak() && !this.isEnd()) this.skip()
  }

  fail(problem: string): never {
    throw new YamlProblem(problem, this.line, true)
  }

  /** Returns which document marker is at the cursor: `---` or `...` at the beginning of a line. */
  documentMark(): 'document start' | 'document end' | undefined {
    if (this.column !== 0 || !this.isBlankOrEnd(3)) return undefined
    const three = this.#text.slice(this.at, this.at + 3)
    return three === '---' ? 'document start' : three === '...' ? 'document end' : undefined
  }
}
