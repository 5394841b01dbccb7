import type { Clock } from '../../lib/clock.ts'
import { CommitFailure, freeBytesAt } from './commit-failure.ts'

/** Time between attempts while the disk is full. */
const RETRY_MS = 10_000

/** Bytes that a commit writes besides its values: the branch pages above them. */
const PAGES = 256 << 10

/**
 * State of a store's disk after a commit has failed because it is full. LMDB prints each failed write to standard
 * error, so commits that would fail again are refused without an attempt until there is space. One attempt is made
 * every few seconds, because a compaction may have freed pages of the file.
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

  /** Records that a commit has failed because the disk is full. */
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
