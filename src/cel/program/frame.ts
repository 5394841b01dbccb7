import { runAtOnce, type Steps } from '../../lib/steps.ts'
import type { LongWork } from '../long-work.ts'
import type { Value } from '../values/value.ts'
import { CostLimitExceeded } from '../work.ts'

/** Where variables are looked up; a Map is one. */
export interface Activation {
  get(name: string): Value | undefined
}

/** Thrown where an evaluation leaves the event loop to others: it goes on where it was. Made once, since nobody looks at where it was thrown. */
export const SUSPENDED = new Error('the evaluation goes on later')

/** The elements of a list or the entries of a map, by number. */
export interface Rounds {
  readonly count: number
  readonly begin: (slots: Frame['slots'], round: number) => void
}

/** Where a loop was when the evaluation was suspended. */
interface LoopState {
  /** What it goes through: neither found nor counted again, for that may take longer than a turn's rounds. */
  readonly rounds: Rounds
  /** Of the round that comes next. */
  readonly round: number
  readonly accumulated: Value | undefined
}

/** The result, or where the work was left and what the evaluation had cost. */
type WorkState = { readonly result: object } | { readonly steps: Steps<object>; readonly cost: number }

export interface FrameOptions {
  readonly limit: number
  /** Asked at every hundredth round of loops: true ends the evaluation with an error. */
  readonly interrupted?: (() => boolean) | undefined
  /** Asked every few rounds: true suspends the evaluation. */
  readonly spent?: (() => boolean) | undefined
}

/** Asking for the time costs more than a round of a small loop. */
const ROUNDS_OF_A_SLICE = 16

/**
 * The state of one evaluation.
 *
 * A suspended evaluation is begun anew, and comes back to where it was: loops that were running take up the round they were in, those that were done in that round are not run again.
 * Long calls that were done are not run again either. That works since expressions have no effects, and costs little since only loops and long calls take long.
 */
export class Frame implements LongWork {
  readonly activation: Activation
  readonly #limit: number
  /** Variables of loops, each at a place of its own. */
  readonly slots: (Value | undefined)[]
  readonly #interrupted: (() => boolean) | undefined
  readonly #spent: (() => boolean) | undefined
  #rounds = 0
  /** When it was suspended last. */
  #roundsBefore = 0
  cost = 0
  #costBefore = 0
  /** Of loops within loops. */
  #depth = 0
  readonly #running = new Map<object, LoopState>()
  /** Values of the loops and long calls that are done, by depth: of those within the round that runs. */
  readonly #done: Map<object, Value>[] = []

  constructor(activation: Activation, slots: number, { limit, interrupted, spent }: FrameOptions) {
    this.activation = activation
    this.slots = new Array<Value | undefined>(slots).fill(undefined)
    this.#limit = limit
    this.#interrupted = interrupted
    this.#spent = spent
  }

  /** Whether it may be suspended. */
  get isSliced(): boolean {
    return this.#spent !== undefined
  }

  /** Whether it runs for a second time, or a later one. */
  wasSuspended = false

  /** Long work of functions, by what it depends on. */
  readonly #work = new Map<object, Map<string, WorkState>>()

  result<T extends object>(owner: object, id: string, begin: () => Steps<T>): T {
    if (this.#spent === undefined) return runAtOnce(begin())
    const known = this.#work.get(owner) ?? new Map<string, WorkState>()
    this.#work.set(owner, known)
    const before = known.get(id)
    if (before && 'result' in before) return before.result as T
    // Here the evaluation was left: what it has cost again until here it had cost before.
    if (before) this.cost = before.cost
    const steps = before?.steps ?? begin()
    for (;;) {
      const { done, value } = steps.next()
      if (done) {
        known.set(id, { result: value })
        return value as T
      }
      if (!this.#spent()) continue
      known.set(id, { steps, cost: this.cost })
      throw SUSPENDED
    }
  }

  /** Whether no loop has seen the suspension yet. */
  get isFirstToSuspend(): boolean {
    return this.#running.size === 0
  }

  /** Adds to the cost. Throws CostLimitExceeded. */
  charge(cost: number): void {
    this.cost += cost
    if (this.cost > this.#limit) throw new CostLimitExceeded()
  }

  /** Called once for each round of a loop: whether to end the evaluation. */
  shouldStop(): boolean {
    this.#rounds++
    return this.#interrupted !== undefined && this.#rounds % 100 === 0 && this.#interrupted()
  }

  /** Whether to suspend the evaluation before the next round. */
  shouldSuspend(): boolean {
    // What has just been taken up goes on at least one round.
    if (this.#spent === undefined || this.#rounds % ROUNDS_OF_A_SLICE !== 0 || this.#rounds === this.#roundsBefore) return false
    if (!this.#spent()) return false
    this.#roundsBefore = this.#rounds
    return true
  }

  /** The value of a loop, or of a long call, that was done before the evaluation was suspended. */
  doneBefore(part: object): Value | undefined {
    return this.#done[this.#depth]?.get(part)
  }

  /** What a loop that was suspended goes through. */
  roundsOf(loop: object): Rounds | undefined {
    return this.#running.get(loop)?.rounds
  }

  /** A loop begins: the state that it was suspended in. The cost is what it was once all of them run again. */
  enter(loop: object): LoopState | undefined {
    this.#depth++
    const state = this.#running.get(loop)
    if (state && this.#running.delete(loop) && this.#running.size === 0) this.cost = this.#costBefore
    return state
  }

  /** Loops of the round before say nothing of the next one. */
  nextRound(): void {
    this.#done[this.#depth]?.clear()
  }

  /** A loop ends, or was interrupted. */
  leave(): void {
    this.nextRound()
    this.#depth--
  }

  /** @param value of a loop that was left, or of a long call. */
  finish(part: object, value: Value): void {
    let done = this.#done[this.#depth]
    if (done === undefined) {
      done = new Map()
      this.#done[this.#depth] = done
    }
    done.set(part, value)
  }

  /** Keeps where a loop was; called for each that runs, from the innermost outward, while SUSPENDED passes through. */
  suspend(loop: object, state: LoopState): void {
    this.#running.set(loop, state)
  }

  /** Called before the evaluation is begun anew. */
  resume(): void {
    this.wasSuspended = true
    this.#depth = 0
    this.#costBefore = this.cost
    this.cost = 0
  }
}

/** A part of a program: gives a value, which may be an error, and charges what it costs. */
export type Evaluate = (frame: Frame) => Value
