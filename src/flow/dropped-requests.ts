/** Seconds. */
const MAX_RETRY_AFTER = 32

interface Second {
  readonly at: number
  readonly requests: number
}

/** The seconds in which requests of a level were dropped, and when those who were may come again. */
class DroppedOfLevel {
  retryAfter = 1
  private history: Second[] = []
  private current: { readonly at: number; requests: number } = { at: 0, requests: 0 }
  private raisedAt = 0

  drop(second: number): void {
    if (this.current.at === second) {
      this.current.requests++
      return
    }
    // What will never be asked for again goes.
    const kept = Math.min(2 * this.retryAfter, MAX_RETRY_AFTER)
    this.history = [...this.history, this.current].filter(({ at }) => second - at <= kept)
    this.current = { at: second, requests: 1 }
    this.adjust(second)
  }

  /** Doubles the time while many are dropped, at most once in it, and takes a second off while few are: as TCP does. */
  private adjust(second: number): void {
    const { retryAfter } = this
    let dropped = 0
    for (const { at, requests } of this.history) if (second - at <= retryAfter && at < second) dropped += requests
    if (second - this.raisedAt >= retryAfter && dropped >= 3 * retryAfter) {
      this.retryAfter = Math.min(2 * retryAfter, MAX_RETRY_AFTER)
      this.raisedAt = second
    } else if (dropped < retryAfter && retryAfter > 1) this.retryAfter--
  }
}

/** Says when dropped requests of a priority level may come again. Source: dropped_requests_tracker.go in k8s.io/apiserver, pkg/util/flowcontrol. */
export class DroppedRequests {
  private readonly levels = new Map<string, DroppedOfLevel>()
  private readonly now: () => number

  /** `now`: milliseconds. */
  constructor(now: () => number) {
    this.now = now
  }

  drop(level: string): void {
    let dropped = this.levels.get(level)
    if (dropped === undefined) {
      dropped = new DroppedOfLevel()
      this.levels.set(level, dropped)
    }
    dropped.drop(Math.floor(this.now() / 1000))
  }

  /** Seconds. */
  retryAfter(level: string): number {
    return this.levels.get(level)?.retryAfter ?? 1
  }

  /** Of levels that are gone nothing is kept. */
  keep(isLevel: (name: string) => boolean): void {
    for (const name of this.levels.keys()) if (!isLevel(name)) this.levels.delete(name)
  }
}
