/** A source of time. Tests pass their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}

/** A scheduled call, such as a timer of Node. */
export interface Timer {
  /** Cancels the call. */
  close(): void
}

/** A clock with timers. All times that the API shows come from it, so they are consistent. */
export interface TimerClock extends Clock {
  /** The same time without the jumps of a clock that is adjusted. */
  readonly steady: Clock
  /** Calls back once after this many milliseconds, at most LONGEST_TIMER_MS. Does not keep the process alive. */
  after(milliseconds: number, call: () => void): Timer
}

/**
 * Milliseconds since the process began. Monotonic, whatever happens to the system's clock: for windows, waits and
 * deadlines within the process, never for times that are stored or sent.
 */
export const steadyClock: Clock = { now: () => performance.now() }

/** The system's clock, with Node's timers. */
export const systemClock: TimerClock = {
  now: () => Date.now(),
  steady: steadyClock,
  after: (milliseconds, call) => setTimeout(call, milliseconds).unref(),
}

/** Longest delay of a timer. A longer one would fire immediately. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1
