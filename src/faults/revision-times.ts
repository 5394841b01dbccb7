import type { TimerClock } from '../lib/clock.ts'

const EVERY_MS = 1000
/** Reads are so old at most: history of the store is kept for longer. */
export const MOST_BEHIND_MS = 120_000

/** Which revision a store had a while ago, from the moment on from which somebody wants to know. */
export class RevisionTimes {
  private readonly clock: TimerClock
  private readonly revision: () => Promise<number>
  private readonly isWanted: () => boolean
  private looks: { readonly at: number; readonly revision: number }[] = []
  private looking = false

  /** `isWanted`: asked each second, and looks end when it says no. */
  constructor(clock: TimerClock, revision: () => Promise<number>, isWanted: () => boolean) {
    this.clock = clock
    this.revision = revision
    this.isWanted = isWanted
  }

  /** Begins to look, where that is wanted. Resolves when it has looked once. */
  async begin(): Promise<void> {
    if (this.looking || !this.isWanted()) return
    this.looking = true
    await this.look()
  }

  /** The newest that was there so long ago, or the first that is known. */
  async ago(milliseconds: number): Promise<number | undefined> {
    await this.begin()
    const wanted = this.clock.now() - milliseconds
    return (this.looks.findLast(({ at }) => at <= wanted) ?? this.looks[0])?.revision
  }

  private async look(): Promise<void> {
    const at = this.clock.now()
    try {
      const revision = await this.revision()
      this.looks.push({ at, revision })
      const oldest = this.looks.findLastIndex(look => look.at <= at - MOST_BEHIND_MS)
      if (oldest > 0) this.looks = this.looks.slice(oldest)
    } catch {
      // The store is away: what was known before stays.
    }
    if (this.isWanted()) {
      this.clock.after(EVERY_MS, () => void this.look())
      return
    }
    this.looking = false
    this.looks = []
  }
}
