import { type AuditLine, bytesOf, onOneLine } from '../line.ts'
import type { LogOutput } from './output.ts'

/** Lines up to this many bytes are joined with those that wait behind them: one write costs as much as a hundred lines. */
const JOIN_UP_TO = 256 * 1024
const NEWLINE = Buffer.from('\n')
/** Bytes that wait at most, beside those that are being written: twice what the batching sink gives at a time. Each line counts for more than it has, for what waits with it. */
const MOST_BYTES = 512 * 1024 * 1024
const BESIDE_LINE = 1024

interface Waiting {
  readonly line: AuditLine
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/**
 * Writes lines in the order in which they come, none into another. While the output takes nothing, as on a disk that hangs, requests wait for their lines: more than there may be at a time, because clients go and come
 * again, and what they have asked waits on. So there is a bound.
 */
export class LineWriter {
  private readonly output: LogOutput
  private readonly waiting: Waiting[] = []
  /** Of the lines that wait, with what is counted beside each. */
  private bytes = 0
  private running: Promise<void> | undefined
  /** A line has broken off: the next begins on a line of its own. */
  private broken = false

  constructor(output: LogOutput) {
    this.output = output
  }

  /** Resolves when the system has taken the line. Rejects where too much waits already, and with errors of the system. */
  write(line: AuditLine): Promise<void> {
    const bytes = line.length + BESIDE_LINE
    if (this.waiting.length > 0 && this.bytes + bytes > MOST_BYTES) return Promise.reject(new Error('too many events wait for the log'))
    this.bytes += bytes
    return new Promise((done, failed) => {
      this.waiting.push({ line, done, failed })
      this.running ??= this.run()
    })
  }

  /** Writes what waits, and closes the output. */
  async close(): Promise<void> {
    await this.running
    await this.output.close()
  }

  private async run(): Promise<void> {
    // What else comes in this turn goes with the first.
    await undefined
    while (this.waiting.length > 0) {
      const lines = this.waiting.splice(0, this.joinable())
      for (const { line } of lines) this.bytes -= line.length + BESIDE_LINE
      try {
        await this.writeLines(lines.map(({ line }) => line))
        for (const { done } of lines) done()
      } catch (error) {
        for (const { failed } of lines) failed(error)
      }
    }
    // In the same moment: a line that comes next must find nobody who takes it.
    this.running = undefined
  }

  /** How many of the first lines are written at once: one at least. */
  private joinable(): number {
    let bytes = 0
    let count = 0
    for (const { line } of this.waiting) {
      bytes += line.length
      if (count > 0 && bytes > JOIN_UP_TO) break
      count++
    }
    return count
  }

  private async writeLines(lines: readonly AuditLine[]): Promise<void> {
    const length = lines.reduce((bytes, line) => bytes + line.length, 0)
    await this.output.prepare(length)
    const begins = this.broken ? [NEWLINE] : []
    if (length <= JOIN_UP_TO) {
      const joined = Buffer.concat([...begins, ...(await whole(lines))])
      this.broken = true
      await this.output.write(joined)
    } else {
      this.broken = true
      for (const newline of begins) await this.output.write(newline)
      for (const { parts } of lines)
        for (const part of parts) {
          if (Buffer.isBuffer(part)) await this.output.write(part)
          else for await (const bytes of bytesOf(part)) await this.output.write(onOneLine(bytes))
        }
    }
    this.broken = false
  }
}

async function whole(lines: readonly AuditLine[]): Promise<Buffer[]> {
  const buffers: Buffer[] = []
  for (const { parts } of lines)
    for (const part of parts) {
      if (Buffer.isBuffer(part)) buffers.push(part)
      else for await (const bytes of bytesOf(part)) buffers.push(onOneLine(bytes))
    }
  return buffers
}
