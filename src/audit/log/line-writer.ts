import { type AuditLine, bodyBytes, onOneLine } from '../line.ts'
import type { LogOutput } from './output.ts'

/** Lines are joined up to this many bytes: one write costs as much as a hundred lines. */
const JOIN_UP_TO = 256 * 1024
const NEWLINE = Buffer.from('\n')
/**
 * Maximum bytes of waiting lines, twice those of the batching sink. Each line counts for BESIDE_LINE more, for the
 * memory that its request holds.
 */
const MOST_BYTES = 512 * 1024 * 1024
const BESIDE_LINE = 1024

interface WaitingLine {
  readonly line: AuditLine
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/**
 * Writes lines in order, without interleaving. While the output blocks, as on a disk that hangs, requests wait for
 * their lines. Clients disconnect and retry while their first requests still wait, so the waiting lines have their own
 * bound.
 */
export class LineWriter {
  readonly #output: LogOutput
  readonly #waiting: WaitingLine[] = []
  /** Bytes of the waiting lines, including BESIDE_LINE for each. */
  #bytes = 0
  #running: Promise<void> | undefined
  /** Whether a line was written incompletely. The next one begins on a new line. */
  #broken = false

  constructor(output: LogOutput) {
    this.#output = output
  }

  /**
   * Resolves when the operating system has accepted the line. Rejects if too much waits, and with errors of the
   * operating system.
   */
  write(line: AuditLine): Promise<void> {
    const bytes = line.length + BESIDE_LINE
    if (this.#waiting.length > 0 && this.#bytes + bytes > MOST_BYTES) return Promise.reject(new Error('too many events wait for the log'))
    this.#bytes += bytes
    return new Promise((done, failed) => {
      this.#waiting.push({ line, done, failed })
      this.#running ??= this.#run()
    })
  }

  /** Writes the waiting lines and closes the output. */
  async close(): Promise<void> {
    await this.#running
    await this.#output.close()
  }

  /** Writes waiting lines until there are none. A failure only affects the lines of one write. */
  async #run(): Promise<void> {
    // Lines that arrive in this turn are written together.
    await undefined
    while (this.#waiting.length > 0) {
      const lines = this.#waiting.splice(0, this.#joinable())
      for (const { line } of lines) this.#bytes -= line.length + BESIDE_LINE
      try {
        await this.#writeLines(lines.map(({ line }) => line))
        for (const { done } of lines) done()
      } catch (error) {
        for (const { failed } of lines) failed(error)
      }
    }
    // Reset in the same tick as the check above: the next line starts a new run.
    this.#running = undefined
  }

  /** Returns how many of the first lines are written together: one or more. */
  #joinable(): number {
    let bytes = 0
    let count = 0
    for (const { line } of this.#waiting) {
      bytes += line.length
      if (count > 0 && bytes > JOIN_UP_TO) break
      count++
    }
    return count
  }

  /** Writes lines. Short ones are joined into one write, long bodies are written as they are read. */
  async #writeLines(lines: readonly AuditLine[]): Promise<void> {
    const length = lines.reduce((bytes, line) => bytes + line.length, 0)
    await this.#output.prepare(length)
    const begins = this.#broken ? [NEWLINE] : []
    if (length <= JOIN_UP_TO) {
      const joined = Buffer.concat([...begins, ...(await formatLines(lines))])
      this.#broken = true
      await this.#output.write(joined)
    } else {
      this.#broken = true
      for (const newline of begins) await this.#output.write(newline)
      for (const { parts } of lines)
        for (const part of parts) {
          if (Buffer.isBuffer(part)) await this.#output.write(part)
          else for await (const bytes of bodyBytes(part)) await this.#output.write(onOneLine(bytes))
        }
    }
    this.#broken = false
  }
}

async function formatLines(lines: readonly AuditLine[]): Promise<Buffer[]> {
  const buffers: Buffer[] = []
  for (const { parts } of lines)
    for (const part of parts) {
      if (Buffer.isBuffer(part)) buffers.push(part)
      else for await (const bytes of bodyBytes(part)) buffers.push(onOneLine(bytes))
    }
  return buffers
}
