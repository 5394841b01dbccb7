import { steadyClock } from '../lib/clock.ts'

/** Steady clock of flow control in milliseconds, with timers. */
export interface FlowClock {
  now(): number
  /** Calls `run` once after a delay. Returns a function that cancels the call. */
  after(milliseconds: number, run: () => void): () => void
}

export const steadyFlowClock: FlowClock = {
  now: () => steadyClock.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
