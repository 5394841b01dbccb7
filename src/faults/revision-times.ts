import type { TimerClock } from '../lib/clock.ts'

/** Interval of the recorded revisions. */
const EVERY_MS = 1000
/** Maximum age of reads, which is less than the history that the store retains. */
export const MOST_BEHIND_MS = 120_000

/** Records which revision a store had at which time, while it is needed. */
export class RevisionTimes {
  readonly #clock: TimerClock
  readonly #revision: () => Promise<number>
  readonly #isWanted: () => boolean
  #looks: { readonly at: number; readonly revision: number }[] = []
  #looking = false

  /** `isWanted`: called each second. Recording ends when it returns false. */
  constructor(clock: TimerClock, revision: () => Promise<number>, isWanted: () => boolean) {
    this.#clock = clock
    this.#revision = revision
    this.#isWanted = isWanted
  }

  /** Starts to record if needed. Resolves when the first revision is recorded. */
  async begin(): Promise<void> {
    if (this.#looking || !this.#isWanted()) return
    this.#looking = true
    await this.#look()
  }

  /** Returns the latest revision of a time ago, or the oldest recorded one. */
  async ago(milliseconds: number): Promise<number | undefined> {
    await this.begin()
    const wanted = this.#clock.now() - milliseconds
    return (this.#looks.findLast(({ at }) => at <= wanted) ?? this.#looks[0])?.revision
  }

  /** Looks once, and schedules the next look while recording is wanted. Otherwise forgets all revisions. */
  async #look(): Promise<void> {
    const at = this.#clock.now()
    try {
      const revision = await this.#revision()
      this.#looks.push({ at, revision })
      const oldest = this.#looks.findLastIndex(look => look.at <= at - MOST_BEHIND_MS)
      if (oldest > 0) this.#looks = this.#looks.slice(oldest)
    } catch {
      // The store cannot be reached. Earlier revisions are kept.
    }
    if (this.#isWanted()) {
      this.#clock.after(EVERY_MS, () => void this.#look())
      return
    }
    this.#looking = false
    this.#looks = []
  }
}
