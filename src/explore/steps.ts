import { differences, type FinalState } from './final-state.ts'
import { type ExpectedRun, type ExpectedStates, isExpected } from './judge.ts'
import type { Rest } from './rest.ts'

/** Interval at which the state is compared, in milliseconds. */
const LOOK_MS = 20
/** Fraction of the patience that a step gets if it is likely that the state stays another one. */
const SHORT = 1 / 8
/** Ratio of the time that a step gets at least to the longest time after which the controller went on by itself. */
const LATE_RATIO = 2
/** Ratio of the maximum duration of a step to the time for which its state is to stay the same. */
const MOST_RATIO = 5

/** Dependencies of the steps of one run. */
export interface StepsOptions {
  /** Detects that nothing happens any more. */
  readonly rest: Pick<Rest, 'reached' | 'activeAt'>
  /** Returns the state of the store, without what is ignored. */
  readonly stateNow: () => FinalState
  /** Result of the undisturbed run. Undefined in the undisturbed run itself: any state is accepted then. */
  readonly expected: ExpectedRun | undefined
  /** Time for which another state may stay the same before a step ends with it, in milliseconds. */
  readonly patienceMs: number
  /** Time for which any state has to stay the same before a step ends with it, in milliseconds. Default: 0. */
  readonly stableMs?: number
  /** Minimum duration of each step, in milliseconds. Default: 0. */
  readonly leastMs?: readonly number[]
  /** Longest time after which the controller went on by itself in the undisturbed run, in milliseconds. Default: 0. */
  readonly latestChangeMs?: number
  /** Milliseconds of the steady clock of `rest`. */
  readonly now: () => number
  readonly pause: (milliseconds: number) => Promise<void>
}

/** The moments of a run at which the test awaits that everything is settled. */
export class Steps {
  /** State at each of them. */
  readonly states: FinalState[] = []
  /** Duration of each of them, in milliseconds. */
  readonly durations: number[] = []
  /** States of each step that ended while its state kept changing, in order. */
  readonly unstable: (readonly FinalState[])[] = []
  readonly #options: StepsOptions
  #isDifferent = false
  #latestChangeMs = 0

  constructor(options: StepsOptions) {
    this.#options = options
  }

  /** Longest time for which the state stayed the same and then changed, without anything done by the test. */
  get latestChangeMs(): number {
    return this.#latestChangeMs
  }

  /**
   * Resolves when nothing happens any more and the state is that of the undisturbed run at this moment, or has been
   * another one for some time: a controller may retry or continue late.
   */
  async settled(): Promise<void> {
    const { rest, stateNow, now, pause, leastMs = [] } = this.#options
    const begun = now()
    const states: FinalState[] = []
    // Time of the last change.
    let since = begun
    for (;;) {
      await rest.reached(true)
      const state = stateNow()
      const last = states.at(-1)
      if (last === undefined || differences(last, state).length > 0) {
        const { activeAt } = rest
        if (last !== undefined) this.#latestChangeMs = Math.max(this.#latestChangeMs, activeAt - since)
        since = activeAt
        states.push(state)
      }
      const isLongEnough = now() - begun >= (leastMs[this.states.length] ?? 0)
      if (isLongEnough && this.#isOver(states, { totalMs: now() - begun, sameMs: now() - since })) break
      await pause(LOOK_MS)
    }
    const state = states.at(-1)
    if (state !== undefined) this.states.push(state)
    this.durations.push(now() - begun)
  }

  /** Whether a step ends with the last of its states. The times are those of the step and of that state. */
  #isOver(states: readonly FinalState[], { totalMs, sameMs }: { readonly totalMs: number; readonly sameMs: number }): boolean {
    const { expected, stableMs = 0 } = this.#options
    const state = states.at(-1)
    if (state === undefined) return false
    if (sameMs < stableMs) {
      const isUnstable = totalMs >= MOST_RATIO * stableMs
      if (isUnstable) this.unstable.push(states)
      return isUnstable
    }
    if (expected === undefined || this.#isMet(state, expected)) return true
    const patienceMs = this.#patience(state, expected)
    if (sameMs < patienceMs && totalMs < MOST_RATIO * patienceMs) return false
    this.#isDifferent = true
    return true
  }

  /** Whether the state is that of the undisturbed run or of an accepted alternative. */
  #isMet(state: FinalState, expected: ExpectedRun): boolean {
    return [expected, ...expected.alternatives].some(states => this.#isOf(states, state, expected))
  }

  /** Whether the state is that of another run at this step. */
  #isOf(run: ExpectedStates, state: FinalState, { variation }: ExpectedRun): boolean {
    return isExpected(state, run.steps[this.states.length] ?? run.state, variation)
  }

  /**
   * Time for which another state may stay: little if a run has failed in it, or if an earlier step has differed and
   * there are more, but enough for a controller that goes on by time.
   */
  #patience(state: FinalState, expected: ExpectedRun): number {
    const { patienceMs, latestChangeMs = 0 } = this.#options
    const { failed, steps } = expected
    const isLast = this.states.length >= steps.length - 1
    const isHopeless = (failed !== undefined && this.#isOf(failed, state, expected)) || (this.#isDifferent && !isLast)
    return Math.max(isHopeless ? SHORT * patienceMs : patienceMs, LATE_RATIO * latestChangeMs)
  }
}
