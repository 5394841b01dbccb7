import type { Clock } from '../../lib/clock.ts'
import { CommitFailure, freeBytesAt } from './commit-failure.ts'

/** Between two attempts while there is no room. */
const RETRY_MS = 10_000

/** What a commit writes beside its values: pages of the trees above them. */
const PAGES = 256 << 10

/**
 * The disk of a store, once a commit has failed for want of space. LMDB prints each write that fails to standard error, so commits that would fail again are refused without an attempt until there is room, but for one
 * every few seconds: a compaction may have freed pages of the file.
 */
export class FullDisk {
  readonly #clock: Clock
  readonly #freeBytes: () => number | undefined
  #isFull = false
  #failedAt = 0

  constructor(dir: string, clock: Clock, freeBytes: (dir: string) => number | undefined = freeBytesAt) {
    this.#clock = clock
    this.#freeBytes = () => freeBytes(dir)
  }

  /** Whether commits are refused. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Records that a commit has failed for want of space. */
  failed(): void {
    this.#isFull = true
    this.#failedAt = this.#clock.now()
  }

  /** Throws CommitFailure if a commit of so many bytes would fail again. */
  check(bytes: number): void {
    if (!this.#isFull) return
    const hasRoom = (this.#freeBytes() ?? 0) >= 2 * bytes + PAGES
    if (!hasRoom && this.#clock.now() - this.#failedAt < RETRY_MS) throw new CommitFailure('no space left on device', { isFull: true })
    this.#isFull = false
  }
}
