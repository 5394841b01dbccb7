import { type Clock, steadyClock } from './clock.ts'

/** Who writes to a client. */
export interface PacedWriter {
  /** False once nothing more can be written. */
  readonly open: boolean
  /** Bytes that the kernel has not taken yet. */
  readonly unwritten: number
}

/** Milliseconds for which it is not counted anew who is behind. */
const COUNT_MS = 10

/**
 * How much of what is written may wait in memory for the kernel. Those who are behind share a budget: encrypted bytes are each connection's own, and a thousand that are behind by what one may be would take
 * the memory of a hundred thousand objects.
 */
export class Backlog {
  private readonly bounds: { readonly budget: number; readonly most: number; readonly least: number }
  private readonly clock: Clock
  private readonly behind = new Set<PacedWriter>()
  private countedAt = Number.NEGATIVE_INFINITY
  private share: number

  /** Bytes: of all, and of one at the most and at the least. */
  constructor(bounds: { readonly budget: number; readonly most: number; readonly least: number }, clock: Clock = steadyClock) {
    this.bounds = bounds
    this.clock = clock
    this.share = bounds.most
  }

  /** Bytes that one of those who are behind may have unwritten. */
  get limit(): number {
    const now = this.clock.now()
    if (now - this.countedAt >= COUNT_MS) {
      this.countedAt = now
      for (const writer of this.behind) if (!writer.open || writer.unwritten === 0) this.behind.delete(writer)
      const { budget, most, least } = this.bounds
      this.share = Math.max(least, Math.min(most, budget / Math.max(1, this.behind.size)))
    }
    return this.share
  }

  /** Whether the writer, which has just written, should wait before it writes more. */
  exceeds(writer: PacedWriter): boolean {
    const { unwritten } = writer
    if (unwritten === 0) return false
    this.behind.add(writer)
    return unwritten > this.limit
  }
}
