import type { Timer, TimerClock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { isCommitFailure } from './commit-failure.ts'
import type { Tables } from './environment.ts'
import { decodeKey, readNumber, readRevision } from './layout.ts'
import type { Writer } from './writer.ts'

/**
 * Maximum time between checks of the clock while a deadline is ahead, in milliseconds, and maximum number of keys that
 * expire together.
 */
const LONGEST_WAIT = 1000
/** More keys that are due are deleted in further batches. */
const BATCH = 500

/** Deletion of keys whose time to live has passed. */
export interface Expiry {
  /** Schedules the expiry of a key that was written with this deadline. */
  schedule(deadline: number): void
  /** Prevents expiry until the function that it resolves with is called. */
  hold(): Promise<() => void>
  /** Stops the timer. Deletions that have begun are not waited for. */
  close(): void
}

/**
 * Deletes keys whose time to live has passed, with guarded writes: a key that was written since is kept. Deadlines are
 * stored, so they survive a restart.
 */
export function openExpiry(tables: Tables, writer: Writer, clock: TimerClock, logger: Logger): Expiry {
  const expiry = new TimedExpiry(tables, writer, clock, logger)
  for (const key of tables.expiry.getKeys({ limit: 1 })) expiry.schedule(readNumber(key, 0))
  return expiry
}

/** Waits for the earliest deadline with one timer. */
class TimedExpiry implements Expiry {
  readonly #tables: Tables
  readonly #writer: Writer
  readonly #clock: TimerClock
  readonly #logger: Logger
  #timer: Timer | undefined
  /** The earliest deadline that is known. */
  #next = Number.POSITIVE_INFINITY
  #expiring = false
  #closed = false
  /** Number of holds. Keys expire only while there is none. */
  #held = 0
  /** The expiry in progress. */
  #running: Promise<void> = Promise.resolve()

  constructor(tables: Tables, writer: Writer, clock: TimerClock, logger: Logger) {
    this.#tables = tables
    this.#writer = writer
    this.#clock = clock
    this.#logger = logger
  }

  /** A deadline in the past begins the expiry in a later turn. */
  schedule(deadline: number): void {
    this.#next = Math.min(this.#next, deadline)
    if (this.#closed || this.#expiring || this.#timer || this.#next === Number.POSITIVE_INFINITY) return
    this.#wait(Math.min(LONGEST_WAIT, Math.max(0, this.#next - this.#clock.now())))
  }

  /** Waits for deletions in progress. The returned function may be called repeatedly. */
  async hold(): Promise<() => void> {
    this.#held++
    await this.#running
    let isHeld = true
    return () => {
      if (isHeld) this.#held--
      isHeld = false
    }
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
  }

  /** Sets the timer. There is at most one. */
  #wait(ms: number): void {
    this.#timer = this.#clock.after(ms, () => this.#look())
  }

  /** Begins the expiry if a deadline has passed. Otherwise waits again, as while expiry is held. */
  #look(): void {
    this.#timer = undefined
    if (this.#closed) return
    if (this.#held > 0) this.#wait(LONGEST_WAIT)
    else if (this.#next > this.#clock.now()) this.schedule(this.#next)
    else this.#begin()
  }

  /** Deletes the keys that are due. After a failure it is tried again a second later. */
  #begin(): void {
    this.#expiring = true
    this.#running = this.#expire()
      .catch(error => {
        if (!isCommitFailure(error)) this.#logger.warn('cannot delete expired keys', { error: String(error) })
        return this.#clock.now() + LONGEST_WAIT
      })
      .then(deadline => {
        this.#expiring = false
        this.schedule(deadline)
      })
      .catch(() => {})
  }

  /** Deletes the keys that are due, and returns the next deadline. */
  async #expire(): Promise<number> {
    this.#next = Number.POSITIVE_INFINITY
    const now = this.#clock.now()
    const due: Promise<unknown>[] = []
    let ahead = Number.POSITIVE_INFINITY
    for (const { key: settles, value } of this.#tables.expiry.getRange({ limit: BATCH })) {
      ahead = readNumber(settles, 0)
      if (ahead > now) break
      const expected = readRevision(settles, 8)
      due.push(this.#writer.write({ key: decodeKey(value), expected }, { settles }))
    }
    await Promise.all(due)
    return ahead
  }
}
