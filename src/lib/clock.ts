/** Where time comes from; tests pass their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** Milliseconds since the process began. Goes evenly whatever is done to the system's clock: for windows, waits and deadlines within the process, and never for what is stored or sent. */
export const steadyClock: Clock = { now: () => performance.now() }

/** A timer that is set to more ends at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1
