import { LONGEST_TIMER_MS, systemClock, type TimerClock } from './clock.ts'
import { onAbort } from './on-abort.ts'

/** Resolves after the time (of 24 days at most) with true, or as soon as the signal aborts with false. Keeps no process alive. */
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
