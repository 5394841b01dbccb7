import { parseTime, timeMillis } from '../../../meta/time.ts'

/** Longest line. A longer one is cut into several. */
export const MAX_LINE_BYTES = 256 * 1024

/** A line of a log, with its line feed unless the container has not finished it. */
export interface LogLine {
  /** RFC 3339. Undefined if the file does not say when the line was written. */
  readonly time: string | undefined
  readonly text: string
}

/** `2016-10-06T00:17:09.669794202Z stdout F text`: time, stream, and F for a whole line or P for a part. */
const RUNTIME_LINE = /^(\S{1,40}) (?:stdout|stderr) ([FP]\S{0,20}) /

/**
 * Parses a line in the format of a container runtime (CRI), of Docker's JSON files, or of plain text. @param line
 * without its line feed.
 */
export function parseLine(line: string): LogLine {
  const [head, time = '', tag = ''] = RUNTIME_LINE.exec(line) ?? []
  if (head !== undefined && isTime(time)) return { time, text: line.slice(head.length) + (tag.startsWith('P') ? '' : '\n') }
  return dockerLine(line) ?? { time: undefined, text: `${line}\n` }
}

const isTime = (text: string): boolean => parseTime(text) !== undefined

/** Parses `{"log":"text\n","stream":"stdout","time":"…"}`. Undefined if the line has another form. */
function dockerLine(line: string): LogLine | undefined {
  if (!line.startsWith('{"log":')) return undefined
  try {
    const { log, time } = JSON.parse(line) as { readonly log?: unknown; readonly time?: unknown }
    return typeof log === 'string' && typeof time === 'string' && isTime(time) ? { time, text: log } : undefined
  } catch {
    return undefined
  }
}

/** Selection of the lines of a log by a client, and their form. */
export interface LogSelection {
  /** Lines from this time on, in milliseconds. */
  readonly since?: number
  /** Number of lines at the end. */
  readonly tail?: number
  readonly limitBytes?: number
  readonly timestamps: boolean
}

/** Selects and formats lines, one after the other. The tail is selected before. */
export class LogFormatter {
  readonly #selection: LogSelection
  readonly #started: string
  #left: number
  #isAtStart = true

  /** @param started time of lines without one, RFC 3339. */
  constructor(selection: LogSelection, started: string) {
    this.#selection = selection
    this.#started = started
    this.#left = selection.limitBytes ?? Number.POSITIVE_INFINITY
  }

  /** Whether the limit of bytes is reached. */
  get isFull(): boolean {
    return this.#left <= 0
  }

  /** Returns the bytes of a line for the client. Empty if it is not selected. */
  format({ time = this.#started, text }: LogLine): Buffer {
    const { since, timestamps } = this.#selection
    if (since !== undefined && (timeMillis(time) ?? 0) < since) return Buffer.alloc(0)
    const bytes = Buffer.from(timestamps && this.#isAtStart ? `${time} ${text}` : text)
    this.#isAtStart = text.endsWith('\n')
    const taken = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes
    this.#left -= taken.length
    return taken
  }
}

/** Yields the lines of a text, or the last ones. The last line needs no line feed. A text may have a million lines. */
export function* linesOf(text: string, tail = Number.POSITIVE_INFINITY): Generator<LogLine> {
  for (let at = tailStart(text, tail); at < text.length; ) {
    const end = text.indexOf('\n', at)
    const stop = end < 0 ? text.length : end
    yield { time: undefined, text: `${text.slice(at, stop)}\n` }
    at = stop + 1
  }
}

/** Returns the offset of the last lines of a text. */
function tailStart(text: string, tail: number): number {
  if (tail === Number.POSITIVE_INFINITY) return 0
  let at = text.length
  // The line feed at the end belongs to the last line.
  let before = text.endsWith('\n') ? at - 1 : at
  for (let left = tail; left > 0; left--) {
    const feed = before > 0 ? text.lastIndexOf('\n', before - 1) : -1
    at = feed + 1
    if (feed < 0) break
    before = feed
  }
  return at
}
