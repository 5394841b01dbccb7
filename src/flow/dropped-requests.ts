/** Maximum of Retry-After in seconds. */
const MAX_RETRY_AFTER = 32

interface Second {
  readonly at: number
  readonly requests: number
}

/** Numbers of dropped requests of a level by second, and the resulting Retry-After. */
class DroppedOfLevel {
  retryAfter = 1
  #history: Second[] = []
  #current: { readonly at: number; requests: number } = { at: 0, requests: 0 }
  #raisedAt = 0

  drop(second: number): void {
    if (this.#current.at === second) {
      this.#current.requests++
      return
    }
    // Older seconds are never needed again.
    const kept = Math.min(2 * this.retryAfter, MAX_RETRY_AFTER)
    this.#history = [...this.#history, this.#current].filter(({ at }) => second - at <= kept)
    this.#current = { at: second, requests: 1 }
    this.#adjust(second)
  }

  /**
   * Doubles Retry-After if many requests were dropped, at most once in its own time, and decrements it if few were. The
   * algorithm resembles TCP's.
   */
  #adjust(second: number): void {
    const { retryAfter } = this
    let dropped = 0
    for (const { at, requests } of this.#history) if (second - at <= retryAfter && at < second) dropped += requests
    if (second - this.#raisedAt >= retryAfter && dropped >= 3 * retryAfter) {
      this.retryAfter = Math.min(2 * retryAfter, MAX_RETRY_AFTER)
      this.#raisedAt = second
    } else if (dropped < retryAfter && retryAfter > 1) this.retryAfter--
  }
}

/**
 * Computes Retry-After for the dropped requests of each priority level. Source: dropped_requests_tracker.go in
 * k8s.io/apiserver, pkg/util/flowcontrol.
 */
export class DroppedRequests {
  readonly #levels = new Map<string, DroppedOfLevel>()
  readonly #now: () => number

  /** `now`: clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts a dropped request. */
  drop(level: string): void {
    let dropped = this.#levels.get(level)
    if (dropped === undefined) {
      dropped = new DroppedOfLevel()
      this.#levels.set(level, dropped)
    }
    dropped.drop(Math.floor(this.#now() / 1000))
  }

  /** Returns Retry-After in seconds. */
  retryAfter(level: string): number {
    return this.#levels.get(level)?.retryAfter ?? 1
  }

  /** Forgets levels that no longer exist. */
  keep(isLevel: (name: string) => boolean): void {
    for (const name of this.#levels.keys()) if (!isLevel(name)) this.#levels.delete(name)
  }
}
