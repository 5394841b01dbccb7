import { steadyClock } from '../lib/clock.ts'

/** Time of flow control: milliseconds of a clock that goes evenly, and calls after a while. */
export interface FlowClock {
  now(): number
  /** Calls `run` once, after so many milliseconds. The result takes the call back. */
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
