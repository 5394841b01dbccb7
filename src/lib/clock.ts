/** Where time comes from; tests pass their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}

/** A call that is to come. A timer of Node is one. */
export interface Timer {
  /** Takes the call back. */
  close(): void
}

/** A clock that calls as well: for all of which the API shows the time, so that it goes together. */
export interface TimerClock extends Clock {
  /** The same time, evenly: without the jumps of a clock that is set. */
  readonly steady: Clock
  /** Calls once when so many milliseconds have gone by (LONGEST_TIMER_MS at most). Keeps no process alive. */
  after(milliseconds: number, call: () => void): Timer
}

/** Milliseconds since the process began. Goes evenly whatever is done to the system's clock: for windows, waits and deadlines within the process, and never for what is stored or sent. */
export const steadyClock: Clock = { now: () => performance.now() }

export const systemClock: TimerClock = {
  now: () => Date.now(),
  steady: steadyClock,
  after: (milliseconds, call) => setTimeout(call, milliseconds).unref(),
}

/** A timer that is set to more ends at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1
