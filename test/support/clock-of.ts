import { systemClock, type TimerClock } from '../../src/lib/clock.ts'

/** A clock that shows what the test says, and calls by the machine's time. */
export const clockOf = (now: () => number): TimerClock => ({ ...systemClock, now })
