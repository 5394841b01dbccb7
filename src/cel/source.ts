/** A position in a source: line from 1, column from 0 in code points. */
export interface Location {
  readonly line: number
  readonly column: number
}

/** Position of an error that concerns the whole expression. */
export const NO_LOCATION: Location = { line: -1, column: -1 }

/** Limit for the source line that is printed below an error, in bytes. */
const MAX_SNIPPET = 16384

/** Placeholder below a non-ASCII character. It is one UTF-16 unit long, as `.` is. */
const WIDE_DOT = '．'

const isWide = (point: string | undefined): boolean => point !== undefined && point > '\x7f'

/** Counts the code points of a text without splitting it. A surrogate pair is one code point. */
export function codePointsOf(text: string): number {
  let count = text.length
  for (let i = 0; i + 1 < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) !== 0xd800 || (text.charCodeAt(i + 1) & 0xfc00) !== 0xdc00) continue
    count--
    i++
  }
  return count
}

/** Text of an expression, addressed by code points, as positions in errors are. */
export class Source {
  readonly points: readonly string[]
  /** The text, if every UTF-16 unit of it is a code point. */
  readonly #units: string | undefined
  #lines: readonly number[] | undefined
  /** The line that was printed last. Errors come by the hundred, most of them in one line. */
  #shown: { readonly line: number; readonly text: string; readonly marks: string; readonly isLong: boolean } | undefined

  constructor(text: string) {
    if (codePointsOf(text) === text.length) this.#units = text
    this.points = this.#units === undefined ? Array.from(text) : text.split('')
  }

  /** Offsets of the beginnings of lines. */
  get #starts(): readonly number[] {
    if (this.#lines === undefined) {
      const starts = [0]
      for (let at = this.points.indexOf('\n'); at >= 0; at = this.points.indexOf('\n', at + 1)) starts.push(at + 1)
      this.#lines = starts
    }
    return this.#lines
  }

  /** Returns the text between two code point offsets. `stop` is exclusive. */
  text(start: number, stop: number): string {
    return this.#units === undefined ? this.points.slice(start, stop).join('') : this.#units.slice(start, stop)
  }

  /** Returns the position of an offset, which may be the one after the last character. */
  locationOf(offset: number): Location {
    const starts = this.#starts
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) }
  }

  /**
   * Returns the line of a position, and below it a mark at the column. Empty if there is no such line, or if it is too
   * long.
   */
  snippet({ line, column }: Location): string {
    const start = this.#starts[line - 1]
    if (start === undefined || this.points.length === 0) return ''
    if (this.#shown?.line !== line) this.#shown = this.#show(line, start)
    const { text, marks, isLong } = this.#shown
    if (isLong) return ''
    return `\n | ${text}\n | ${marks.slice(0, Math.max(column, 0))}${marks[column] === WIDE_DOT ? '＾' : '^'}`
  }

  /** Prepares a line for printing, with a dot for each of its characters. */
  #show(line: number, start: number) {
    const next = this.#starts[line]
    const shown = this.points.slice(start, next === undefined ? undefined : next - 1)
    const text = shown.join('').replaceAll('\t', ' ')
    const isLong = Buffer.byteLength(text) > MAX_SNIPPET
    return { line, text, isLong, marks: isLong ? '' : shown.map(point => (isWide(point) ? WIDE_DOT : '.')).join('') }
  }
}
