/** A place in a source: lines from 1, columns from 0, counted in code points. */
export interface Location {
  readonly line: number
  readonly column: number
}

/** The place of an error that concerns the whole expression. */
export const NO_LOCATION: Location = { line: -1, column: -1 }

/** Lines longer than this many bytes are not shown below an error. */
const MAX_SNIPPET = 16384

/** Stands below a character that is not of ASCII. One UTF-16 unit, as the other. */
const WIDE_DOT = '．'

const isWide = (point: string | undefined): boolean => point !== undefined && point > '\x7f'

/** How many code points a text has, without taking it apart: a pair of surrogates is one. */
export function codePointsOf(text: string): number {
  let count = text.length
  for (let i = 0; i + 1 < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) !== 0xd800 || (text.charCodeAt(i + 1) & 0xfc00) !== 0xdc00) continue
    count--
    i++
  }
  return count
}

/** The text of an expression, counted in code points as positions in errors are. */
export class Source {
  readonly points: readonly string[]
  /** The text, if each of its UTF-16 units is a code point. */
  readonly #units: string | undefined
  #lines: readonly number[] | undefined
  /** The line that was shown last: errors come by the hundred, most of them in one line. */
  #shown: { readonly line: number; readonly text: string; readonly marks: string; readonly isLong: boolean } | undefined

  constructor(text: string) {
    if (codePointsOf(text) === text.length) this.#units = text
    this.points = this.#units === undefined ? Array.from(text) : text.split('')
  }

  /** Where each line begins. */
  get #starts(): readonly number[] {
    if (this.#lines === undefined) {
      const starts = [0]
      for (let at = this.points.indexOf('\n'); at >= 0; at = this.points.indexOf('\n', at + 1)) starts.push(at + 1)
      this.#lines = starts
    }
    return this.#lines
  }

  /** From one code point to before another. */
  text(start: number, stop: number): string {
    return this.#units === undefined ? this.points.slice(start, stop).join('') : this.#units.slice(start, stop)
  }

  /** The offset may be that behind the last character. */
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

  /** The line of a place, and below it a mark at the column; nothing where there is no such line or it is too long. */
  snippet({ line, column }: Location): string {
    const start = this.#starts[line - 1]
    if (start === undefined || this.points.length === 0) return ''
    if (this.#shown?.line !== line) this.#shown = this.#show(line, start)
    const { text, marks, isLong } = this.#shown
    if (isLong) return ''
    return `\n | ${text}\n | ${marks.slice(0, Math.max(column, 0))}${marks[column] === WIDE_DOT ? '＾' : '^'}`
  }

  /** A line with a dot for each of its characters. */
  #show(line: number, start: number) {
    const next = this.#starts[line]
    const shown = this.points.slice(start, next === undefined ? undefined : next - 1)
    const text = shown.join('').replaceAll('\t', ' ')
    const isLong = Buffer.byteLength(text) > MAX_SNIPPET
    return { line, text, isLong, marks: isLong ? '' : shown.map(point => (isWide(point) ? WIDE_DOT : '.')).join('') }
  }
}
