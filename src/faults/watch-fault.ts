import type { Timer, TimerClock } from '../lib/clock.ts'
import { StorageError, type StorageEvent, type Take, type Watcher } from '../storage/storage.ts'
import type { FaultSpec } from './fault-spec.ts'
import { millisecondsOf } from './rate.ts'

/**
 * Maximum number of batches that wait until they are old enough. A watch with more is ended, like one whose client is
 * slow.
 */
const MOST_WAITING = 10_000

/** Returns a watch with the faults applied. `gone`: it begins with a 410. */
export function disturbedWatch(watcher: Watcher, specs: readonly FaultSpec[], gone: boolean, clock: TimerClock): Watcher {
  const behindMs = Math.max(0, ...specs.map(({ behind }) => (behind === undefined ? 0 : millisecondsOf(behind))))
  const late = behindMs > 0 ? lateWatch(watcher, behindMs, clock) : watcher
  const endAfter = gone ? 0 : Math.min(...specs.map(({ watch }) => watch?.endAfter ?? Number.POSITIVE_INFINITY))
  const withGone = gone || specs.some(({ watch }) => watch?.withGone === true)
  const withholds = specs.filter(({ watch }) => watch?.withholdBookmarks === true)
  const isWithheld = (event: StorageEvent): boolean => {
    if (event.type !== 'bookmark') return false
    return event.initialEnd ? withholds.some(({ beyondContract }) => beyondContract === true) : withholds.length > 0
  }
  return cutWatch(late, { endAfter, withGone, isWithheld })
}

/** Faults that shorten a watch. */
interface Cut {
  /** Number of events after which the watch ends. Infinity if it does not. */
  readonly endAfter: number
  /** Whether the end is a 410. */
  readonly withGone: boolean
  /** Reports whether an event is left out. Only bookmarks are. */
  isWithheld(event: StorageEvent): boolean
}

/** Error of a watch that a fault ends with a 410. */
export const goneByFault = (): StorageError => new StorageError('expired', 'the history is gone because of an injected fault')

/** Ends a watch early. Bookmarks are not counted. */
function cutWatch(watcher: Watcher, { endAfter, withGone, isWithheld }: Cut): Watcher {
  let left = endAfter
  const firstOf = (batch: readonly StorageEvent[]): readonly StorageEvent[] => {
    const given: StorageEvent[] = []
    for (const event of batch) {
      if (isWithheld(event)) continue
      if (event.type !== 'bookmark' && left-- <= 0) break
      given.push(event)
    }
    return given
  }
  return {
    close: slow => watcher.close(slow),
    async deliver(take, joined, begun) {
      if (left <= 0) {
        watcher.close()
        begun?.()
        if (withGone) throw goneByFault()
        return
      }
      const takeSome: Take = async batch => {
        const given = firstOf(batch)
        const taken = given.length === 0 || (await take(given, true))
        return taken && left > 0
      }
      await watcher.deliver(takeSome, joined, begun)
      if (left <= 0 && withGone) throw goneByFault()
    },
  }
}

/** Batch that waits until it is old enough. */
interface DelayedBatch {
  /** Time of delivery on the clock. */
  readonly at: number
  readonly batch: readonly StorageEvent[]
  readonly own: boolean | undefined
}

/** Delays the events of a watch. */
function lateWatch(watcher: Watcher, behindMs: number, clock: TimerClock): Watcher {
  return {
    close: slow => watcher.close(slow),
    async deliver(take, joined, begun) {
      const waiting: DelayedBatch[] = []
      let timer: Timer | undefined
      let wake: (() => void) | undefined
      let isOver = false
      let failure: { readonly error: unknown } | undefined
      const until = (at: number): Promise<void> =>
        new Promise(resolve => {
          wake = resolve
          timer = clock.after(Math.max(0, at - clock.now()), resolve)
        })
      const give = async (): Promise<void> => {
        for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
          await until(next.at)
          if (isOver) return
          waiting.shift()
          if (!(await take(next.batch, next.own))) return watcher.close()
        }
      }
      let giving: Promise<void> | undefined
      const keep: Take = (batch, own) => {
        waiting.push({ at: clock.now() + behindMs, batch, own })
        giving ??= give()
          .catch(error => {
            failure = { error }
            watcher.close()
          })
          .finally(() => {
            giving = undefined
          })
        return waiting.length < MOST_WAITING
      }
      try {
        await watcher.deliver(keep, joined, begun)
      } finally {
        isOver = true
        timer?.close()
        wake?.()
        await giving
      }
      if (failure !== undefined) throw failure.error
    },
  }
}
