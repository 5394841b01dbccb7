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

const BREAK = /^[\r\n\u0085\u2028\u2029]$/

/** A position in a text, with its line. The empty string stands for the end of the text. */
export class YamlCursor {
  private readonly text: string
  at = 0
  line = 0
  column = 0

  constructor(text: string) {
    this.text = text
  }

  get char(): string {
    return this.text[this.at] ?? ''
  }

  charAt(offset: number): string {
    return this.text[this.at + offset] ?? ''
  }

  isBlank(offset = 0): boolean {
    const c = this.charAt(offset)
    return c === ' ' || c === '\t'
  }

  isBreak(offset = 0): boolean {
    return BREAK.test(this.charAt(offset))
  }

  isEnd(offset = 0): boolean {
    return this.charAt(offset) === ''
  }

  isBlankOrEnd(offset = 0): boolean {
    return this.isBlank(offset) || this.isBreak(offset) || this.isEnd(offset)
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
    const three = this.text.slice(this.at, this.at + 3)
    return three === '---' ? 'document start' : three === '...' ? 'document end' : undefined
  }
}
