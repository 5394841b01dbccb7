import { type Clock, steadyClock } from './clock.ts'

/** A writer to one client. */
export interface PacedWriter {
  /** Whether the connection can still be written to. */
  readonly open: boolean
  /** Bytes that the kernel has not accepted yet. */
  readonly unwritten: number
}

/** Milliseconds between recounts of the slow writers. */
const COUNT_MS = 10

/**
 * Bounds the written data that waits in memory for the kernel. Slow writers share a budget: encrypted bytes belong to
 * one connection each, and a thousand writers with the maximum of a single one would use as much memory as a hundred
 * thousand objects.
 */
export class Backlog {
  readonly #bounds: { readonly budget: number; readonly most: number; readonly least: number }
  readonly #clock: Clock
  readonly #behind = new Set<PacedWriter>()
  #countedAt = Number.NEGATIVE_INFINITY
  #share: number

  /** `budget`: bytes of all slow writers together. `most` and `least`: bounds of the share of one, in bytes. */
  constructor(bounds: { readonly budget: number; readonly most: number; readonly least: number }, clock: Clock = steadyClock) {
    this.#bounds = bounds
    this.#clock = clock
    this.#share = bounds.most
  }

  /** Number of bytes that each slow writer may have unwritten. */
  get limit(): number {
    const now = this.#clock.now()
    if (now - this.#countedAt >= COUNT_MS) {
      this.#countedAt = now
      for (const writer of this.#behind) if (!writer.open || writer.unwritten === 0) this.#behind.delete(writer)
      const { budget, most, least } = this.#bounds
      this.#share = Math.max(least, Math.min(most, budget / Math.max(1, this.#behind.size)))
    }
    return this.#share
  }

  /** Whether a writer that has just written should wait before it writes more. */
  exceeds(writer: PacedWriter): boolean {
    const { unwritten } = writer
    if (unwritten === 0) return false
    this.#behind.add(writer)
    return unwritten > this.limit
  }
}
