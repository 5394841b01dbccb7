import type { RecordedChange } from '../recorded-change.ts'

/** Changes of one round: more in one write save nothing, and the larger the buffers, the harder the collector works. */
export const changesPerRound = 64
/** So many changes, or so many bytes of their objects, are all that may wait before writers do: rounds are full until then. */
const mostChanges = 4 * changesPerRound
const mostBytes = 8 << 20

const bytesOf = ({ object, previous }: RecordedChange): number => (object ?? previous)?.size ?? 0

/** Changes that wait to be given to a group of watchers, in their order. They wait for the server alone, never for a client: what that has not read waits in its own queue. */
export class PendingChanges {
  #changes: RecordedChange[] = []
  #bytes = 0
  #writers: (() => void)[] = []

  get length(): number {
    return this.#changes.length
  }

  push(change: RecordedChange): void {
    this.#changes.push(change)
    this.#bytes += bytesOf(change)
  }

  /** Takes the changes of a round: those of one revision are never parted. */
  takeRound(): readonly RecordedChange[] {
    const all = this.#changes
    let end = Math.min(changesPerRound, all.length)
    while (end < all.length && all[end]?.revision === all[end - 1]?.revision) end++
    const taken = all.slice(0, end)
    this.#changes = all.slice(end)
    for (const change of taken) this.#bytes -= bytesOf(change)
    if (!this.#areMany) for (const wake of this.#writers.splice(0)) wake()
    return taken
  }

  /** For who would add to them: resolves once few wait; undefined: few do. */
  untilFew(): Promise<void> | undefined {
    if (!this.#areMany) return undefined
    return new Promise(resolve => this.#writers.push(resolve))
  }

  get #areMany(): boolean {
    return this.#changes.length >= mostChanges || this.#bytes >= mostBytes
  }
}
