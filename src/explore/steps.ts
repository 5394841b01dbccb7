import type { FinalState } from './final-state.ts'
import { type ExpectedRun, isExpected } from './judge.ts'
import type { Rest } from './rest.ts'

/** Interval at which the state is compared, in milliseconds. */
const LOOK_MS = 20

export interface StepsOptions {
  readonly rest: Rest
  readonly stateNow: () => FinalState
  readonly expected: ExpectedRun | undefined
  readonly patienceMs: number
}

/** The moments of a run at which the test awaits that everything is settled. */
export class Steps {
  /** State at each of them. */
  readonly states: FinalState[] = []
  readonly #options: StepsOptions

  constructor(options: StepsOptions) {
    this.#options = options
  }

  /** Resolves when nothing happens any more and the state is that of the undisturbed run at this moment, or after some time: a controller may retry late. */
  async settled(): Promise<void> {
    const { rest, stateNow, expected, patienceMs } = this.#options
    const step = this.states.length
    const wanted = expected === undefined ? [] : [expected, ...expected.alternatives].map(({ steps, state }) => steps[step] ?? state)
    const isMet = (): boolean => expected === undefined || wanted.some(state => isExpected(stateNow(), state, expected.variation))
    const deadline = performance.now() + patienceMs
    await rest.reached(true)
    while (!isMet() && performance.now() < deadline) {
      await new Promise(resolve => setTimeout(resolve, LOOK_MS))
      await rest.reached(true)
    }
    this.states.push(stateNow())
  }
}
