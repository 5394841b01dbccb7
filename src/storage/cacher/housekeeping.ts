import type { Clock, Timer, TimerClock } from '../../lib/clock.ts'
import type { Slabs } from '../slab.ts'
import type { CacheRoutes } from './cache-routes.ts'
import type { RevisionClock } from './revision-clock.ts'
import { SlabCompactor } from './slab-compactor.ts'

/** Interval of the expiry of history and of bookmarks, in milliseconds. It is shorter if bookmarks are. */
const INTERVAL_MS = 1000

/** Caches, and the clocks that they go by. */
export interface HousekeepingParts {
  readonly routes: CacheRoutes
  readonly slabs: Slabs
  readonly time: RevisionClock
  readonly clock: Clock
  /** Optional. A test clock: housekeeping also runs at each second that it passes. */
  readonly timers: TimerClock | undefined
  readonly bookmarkMs: number
  /** Optional. Called with the largest number of watchers of one resource. */
  readonly onWatchers: ((most: number) => void) | undefined
}

/** Expires history, sends bookmarks, and compacts the memory of the caches, every second. */
export class Housekeeping {
  readonly #parts: HousekeepingParts
  readonly #compactor: SlabCompactor
  #interval: NodeJS.Timeout | undefined
  #passing: Timer | undefined

  constructor(parts: HousekeepingParts) {
    this.#parts = parts
    this.#compactor = new SlabCompactor(parts.slabs)
  }

  start(): void {
    this.#interval = setInterval(() => this.#run(), Math.min(INTERVAL_MS, this.#parts.bookmarkMs))
    this.#interval.unref()
    this.#passTime()
  }

  close(): void {
    clearInterval(this.#interval)
    this.#passing?.close()
  }

  #passTime(): void {
    this.#passing = this.#parts.timers?.after(INTERVAL_MS, () => {
      this.#tellTime()
      this.#passTime()
    })
  }

  #tellTime(): void {
    const { routes, clock, time, bookmarkMs } = this.#parts
    const now = clock.now()
    for (const { history, interest } of routes.values()) {
      history.expire(now)
      interest.bookmark(now, time.now, bookmarkMs)
    }
  }

  /** Runs in real time. Memory is compacted in turns of its own. */
  #run(): void {
    const { routes, onWatchers } = this.#parts
    const caches = routes.values()
    for (const cache of caches) cache.reread()
    this.#tellTime()
    onWatchers?.(Math.max(0, ...caches.map(({ interest }) => interest.widest)))
    void this.#compactor.run(caches)
  }
}
