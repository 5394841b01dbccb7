import type { Timer, TimerClock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { isCommitFailure } from './commit-failure.ts'
import type { Tables } from './environment.ts'
import { decodeKey, readNumber, readRevision } from './layout.ts'
import type { Writer } from './writer.ts'

/** Maximum time between checks of the clock while a deadline is ahead, in milliseconds, and maximum number of keys that expire together. */
const LONGEST_WAIT = 1000
const BATCH = 500

/** Deletion of keys whose time to live has passed. */
export interface Expiry {
  /** Schedules the expiry of a key that was written with this deadline. */
  schedule(deadline: number): void
  /** Prevents expiry until the function that it resolves with is called. */
  hold(): Promise<() => void>
  close(): void
}

/** Deletes keys whose time to live has passed, with guarded writes: a key that was written since is kept. Deadlines are stored, so they survive a restart. */
export function openExpiry(tables: Tables, writer: Writer, clock: TimerClock, logger: Logger): Expiry {
  let timer: Timer | undefined
  let next = Number.POSITIVE_INFINITY
  let expiring = false
  let closed = false
  /** Number of holds. Keys expire only while there is none. */
  let held = 0
  /** The expiry in progress. */
  let running: Promise<void> = Promise.resolve()

  function schedule(deadline: number): void {
    next = Math.min(next, deadline)
    if (closed || expiring || timer || next === Number.POSITIVE_INFINITY) return
    timer = clock.after(Math.min(LONGEST_WAIT, Math.max(0, next - clock.now())), look)
  }

  function look(): void {
    timer = undefined
    if (closed) return
    if (held > 0) {
      timer = clock.after(LONGEST_WAIT, look)
      return
    }
    if (next > clock.now()) {
      schedule(next)
      return
    }
    expiring = true
    running = expire()
      .catch(error => {
        if (!isCommitFailure(error)) logger.warn('cannot delete expired keys', { error: String(error) })
        return clock.now() + LONGEST_WAIT
      })
      .then(deadline => {
        expiring = false
        schedule(deadline)
      })
      .catch(() => {})
  }

  /** Deletes the keys that are due, and returns the next deadline. */
  async function expire(): Promise<number> {
    next = Number.POSITIVE_INFINITY
    const now = clock.now()
    const due: Promise<unknown>[] = []
    let ahead = Number.POSITIVE_INFINITY
    for (const { key: settles, value } of tables.expiry.getRange({ limit: BATCH })) {
      ahead = readNumber(settles, 0)
      if (ahead > now) break
      const expected = readRevision(settles, 8)
      due.push(writer.write({ key: decodeKey(value), expected }, { settles }))
    }
    await Promise.all(due)
    return ahead
  }

  for (const key of tables.expiry.getKeys({ limit: 1 })) schedule(readNumber(key, 0))
  return {
    schedule,
    async hold() {
      held++
      await running
      let isHeld = true
      return () => {
        if (isHeld) held--
        isHeld = false
      }
    },
    close() {
      closed = true
      timer?.close()
    },
  }
}
