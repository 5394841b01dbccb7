import { LONGEST_TIMER_MS, systemClock, type TimerClock } from './clock.ts'
import { onAbort } from './on-abort.ts'

/**
 * Resolves with true after the time, at most 24 days, or with false once the signal aborts. Does not keep the process
 * alive.
 */
export function pause(milliseconds: number, signal: AbortSignal, clock: TimerClock = systemClock): Promise<boolean> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve(false)
    const release = onAbort(signal, () => {
      timer.close()
      release()
      resolve(false)
    })
    const timer = clock.after(Math.min(milliseconds, LONGEST_TIMER_MS), () => {
      release()
      resolve(true)
    })
  })
}
