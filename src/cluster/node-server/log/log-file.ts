import { watch } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { type LogLine, MAX_LINE_BYTES, parseLine } from './log-lines.ts'

/** Bytes of one read. */
const CHUNK_BYTES = 64 * 1024
/** ASCII code. */
const LINE_FEED = 10

/** Part of a file to read. */
export interface LogFileOptions {
  /** Number of lines at the end to begin with. */
  readonly tail?: number
  /** Optional. Follows the file until the signal aborts. Default: ends at the end of the file. */
  readonly until?: AbortSignal
}

/**
 * Reads the lines of a file, in pieces. Throws the error of the file system if it cannot be read, or an Error if it is
 * a pipe or a device, whose reads may not end.
 */
export async function* logFile(path: string, { tail, until }: LogFileOptions): AsyncGenerator<LogLine> {
  if (!(await stat(path)).isFile()) throw new Error(`${JSON.stringify(path)} is not a regular file`)
  const file = await open(path, 'r')
  const changes = until && new Changes(path, until)
  try {
    let at = tail === undefined ? 0 : await tailStart(file, tail)
    let rest: Buffer = Buffer.alloc(0)
    for (;;) {
      const chunk = await readAt(file, at)
      at += chunk.length
      let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      for (let end = lineEnd(bytes); end >= 0; end = lineEnd(bytes)) {
        yield parseLine(bytes.toString('utf8', 0, end))
        bytes = bytes.subarray(bytes[end] === LINE_FEED ? end + 1 : end)
      }
      rest = bytes
      if (chunk.length > 0) continue
      if (changes === undefined || !(await changes.next())) break
    }
    if (rest.length > 0) yield parseLine(rest.toString())
  } finally {
    changes?.close()
    await file.close()
  }
}

/**
 * Returns the index of the line feed, or of the place at which a line that is too long is cut. Negative if there is
 * none yet.
 */
function lineEnd(bytes: Buffer): number {
  const end = bytes.indexOf(LINE_FEED)
  if (end > MAX_LINE_BYTES || (end < 0 && bytes.length > MAX_LINE_BYTES)) return MAX_LINE_BYTES
  return end
}

/** Reads up to CHUNK_BYTES at an offset. Empty at the end of the file. */
async function readAt(file: FileHandle, at: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
  return buffer.subarray(0, bytesRead)
}

/** Returns the offset of the last lines, reading from the end. */
async function tailStart(file: FileHandle, lines: number): Promise<number> {
  let { size: at } = await file.stat()
  if (lines === 0) return at
  // The line feed at the end belongs to the last line.
  let left = lines
  let isEnd = true
  while (at > 0) {
    const from = Math.max(0, at - CHUNK_BYTES)
    const chunk = (await readAt(file, from)).subarray(0, at - from)
    for (let i = chunk.length - 1; i >= 0; i--) {
      if (chunk[i] === LINE_FEED && !isEnd && --left === 0) return from + i + 1
      isEnd = false
    }
    at = from
  }
  return 0
}

/** Waits for changes of a file. A change between two waits is not lost. */
class Changes {
  readonly #until: AbortSignal
  readonly #watcher: ReturnType<typeof watch>
  #hasChanged = false
  #wake = (): void => {}

  constructor(path: string, until: AbortSignal) {
    this.#until = until
    const note = (): void => {
      this.#hasChanged = true
      this.#wake()
    }
    this.#watcher = watch(path, note).on('error', note)
    until.addEventListener('abort', note, { once: true })
  }

  /** Resolves with true at the next change, or with false once the signal aborts. */
  async next(): Promise<boolean> {
    if (!this.#hasChanged && !this.#until.aborted)
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    this.#hasChanged = false
    return !this.#until.aborted
  }

  close(): void {
    this.#watcher.close()
  }
}
