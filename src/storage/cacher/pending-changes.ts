import type { RecordedChange } from '../recorded-change.ts'

/**
 * Number of changes in one round. Larger writes save no further calls, and larger buffers cost more garbage collection.
 */
export const CHANGES_PER_ROUND = 64
/** Limits from which writers wait, in changes and in bytes of their objects. They allow for some full rounds. */
const MOST_CHANGES = 4 * CHANGES_PER_ROUND
const MOST_BYTES = 8 << 20

const changeSize = ({ object, previous }: RecordedChange): number => (object ?? previous)?.size ?? 0

/**
 * Changes that are pending for a group of watchers, in order. They wait only for this server, never for a client, which
 * has a queue of its own.
 */
export class PendingChanges {
  #changes: RecordedChange[] = []
  #bytes = 0
  #writers: (() => void)[] = []

  get length(): number {
    return this.#changes.length
  }

  push(change: RecordedChange): void {
    this.#changes.push(change)
    this.#bytes += changeSize(change)
  }

  /** Removes the changes of the next round. Those of one revision stay together. */
  takeRound(): readonly RecordedChange[] {
    const all = this.#changes
    let end = Math.min(CHANGES_PER_ROUND, all.length)
    while (end < all.length && all[end]?.revision === all[end - 1]?.revision) end++
    const taken = all.slice(0, end)
    this.#changes = all.slice(end)
    for (const change of taken) this.#bytes -= changeSize(change)
    if (!this.#areMany) for (const wake of this.#writers.splice(0)) wake()
    return taken
  }

  /** Resolves when few changes are pending. Undefined if few are pending now. */
  untilFew(): Promise<void> | undefined {
    if (!this.#areMany) return undefined
    return new Promise(resolve => this.#writers.push(resolve))
  }

  get #areMany(): boolean {
    return this.#changes.length >= MOST_CHANGES || this.#bytes >= MOST_BYTES
  }
}
