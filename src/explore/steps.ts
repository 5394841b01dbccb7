import type { FinalState } from './final-state.ts'
import { type ExpectedRun, type ExpectedStates, isExpected } from './judge.ts'
import type { Rest } from './rest.ts'

/** Interval at which the state is compared, in milliseconds. */
const LOOK_MS = 20
/** Fraction of the patience that a step gets if it is likely that the state stays another one. */
const SHORT = 1 / 8

/** Dependencies of the steps of one run. */
export interface StepsOptions {
  /** Detects that nothing happens any more. */
  readonly rest: Rest
  /** Returns the state of the store, without what is ignored. */
  readonly stateNow: () => FinalState
  /** Result of the undisturbed run. Undefined in the undisturbed run itself: any state is accepted then. */
  readonly expected: ExpectedRun | undefined
  /** Time for which the expected state is awaited at each step, in milliseconds. */
  readonly patienceMs: number
  /** Milliseconds of a steady clock. */
  readonly now: () => number
  readonly pause: (milliseconds: number) => Promise<void>
}

/** The moments of a run at which the test awaits that everything is settled. */
export class Steps {
  /** State at each of them. */
  readonly states: FinalState[] = []
  readonly #options: StepsOptions
  #isDifferent = false

  constructor(options: StepsOptions) {
    this.#options = options
  }

  /**
   * Resolves when nothing happens any more and the state is that of the undisturbed run at this moment, or after some
   * time: a controller may retry late.
   */
  async settled(): Promise<void> {
    const { rest, stateNow, expected, now, pause } = this.#options
    const begun = now()
    let state: FinalState
    for (;;) {
      await rest.reached(true)
      state = stateNow()
      if (expected === undefined || this.#isMet(state, expected)) break
      if (now() - begun >= this.#patience(state, expected)) {
        this.#isDifferent = true
        break
      }
      await pause(LOOK_MS)
    }
    this.states.push(state)
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
   * Time for which another state is awaited: little if a run has failed in the present one, or if an earlier step has
   * differed and there are more.
   */
  #patience(state: FinalState, expected: ExpectedRun): number {
    const { patienceMs } = this.#options
    const { failed, steps } = expected
    const isLast = this.states.length >= steps.length - 1
    const isHopeless = (failed !== undefined && this.#isOf(failed, state, expected)) || (this.#isDifferent && !isLast)
    return isHopeless ? SHORT * patienceMs : patienceMs
  }
}
