import { runAtOnce, type Steps } from '../../lib/steps.ts'
import type { LongWork } from '../long-work.ts'
import type { Value } from '../values/value.ts'
import { CostLimitExceeded, restoreWork, workLeft } from '../work.ts'

/** Values of the variables. A Map is one. */
export interface Activation {
  get(name: string): Value | undefined
}

/** Thrown to suspend an evaluation. A single instance, because its stack trace is never used. */
export const SUSPENDED = new Error('the evaluation goes on later')

/** The elements of a list or entries of a map, by number. */
export interface Rounds {
  readonly count: number
  readonly begin: (slots: Frame['slots'], round: number) => void
}

/** State of a loop at a suspension. */
interface LoopState {
  /** The range. It is not evaluated and counted again, because that can take longer than the rounds of a turn. */
  readonly rounds: Rounds
  /** Number of the next round. */
  readonly round: number
  readonly accumulated: Value | undefined
}

/** The result, or the unfinished steps and the cost of the evaluation at that point. */
type WorkState = { readonly result: object } | { readonly steps: Steps<object>; readonly cost: number }

/** State of the evaluation when it was suspended, in a call or after it. */
interface SuspendedCall {
  readonly call: object
  readonly cost: number
  /** Visits that were left between two rounds of a loop. */
  readonly workLeft: number
  /** The rest of the call's work. Undefined if the call is finished. */
  readonly steps: Steps<Value> | undefined
}

/** `limit`: cost from which the evaluation ends with an error that no expression can handle. */
export interface FrameOptions {
  readonly limit: number
  /** Optional. Called every hundredth round of a loop. If it returns true, the evaluation ends with an error. */
  readonly interrupted?: (() => boolean) | undefined
  /** Optional. Called every few rounds. If it returns true, the evaluation is suspended. */
  readonly spent?: (() => boolean) | undefined
}

/** Rounds between two calls of `spent`. Reading the clock costs more than a round of a small loop. */
const ROUNDS_OF_A_SLICE = 16

/**
 * State of one evaluation.
 *
 * To resume a suspended evaluation, it is run again from its beginning. Running loops continue with the round they were
 * in, and loops that finished within that round are not repeated. Neither are finished long calls. This is correct
 * because expressions have no side effects, and cheap because only loops and long calls take long.
 */
export class Frame implements LongWork {
  readonly activation: Activation
  readonly #limit: number
  /** Values of loop variables. Each variable has its own slot. */
  readonly slots: (Value | undefined)[]
  readonly #interrupted: (() => boolean) | undefined
  readonly #spent: (() => boolean) | undefined
  #rounds = 0
  cost = 0
  /** Cost at which the innermost suspended loop continues. */
  #costBefore = 0
  /** Nesting depth of the running loops. */
  #depth = 0
  readonly #running = new Map<object, LoopState>()
  /** Results of finished loops and long calls within the current round, by depth. */
  readonly #done: Map<object, Value>[] = []

  constructor(activation: Activation, slots: number, { limit, interrupted, spent }: FrameOptions) {
    this.activation = activation
    this.slots = new Array<Value | undefined>(slots).fill(undefined)
    this.#limit = limit
    this.#interrupted = interrupted
    this.#spent = spent
  }

  /** Whether the evaluation can be suspended. */
  get isSliced(): boolean {
    return this.#spent !== undefined
  }

  /** Whether the evaluation has been resumed at least once. */
  wasSuspended = false

  /** Long work of functions, by owner and id. */
  readonly #work = new Map<object, Map<string, WorkState>>()

  /**
   * Runs long work to its end, or throws SUSPENDED. Work of the same owner and id is not begun again: its result, or
   * its steps and the cost up to them, are kept.
   */
  result<T extends object>(owner: object, id: string, begin: () => Steps<T>): T {
    if (this.#spent === undefined) return runAtOnce(begin())
    const known = this.#work.get(owner) ?? new Map<string, WorkState>()
    this.#work.set(owner, known)
    const before = known.get(id)
    if (before && 'result' in before) return before.result as T
    // The cost up to here was charged before the suspension, and must not be charged twice.
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

  /** Identifies the call whose function runs. */
  call: object = this
  #suspended: SuspendedCall | undefined

  /** Runs the work of the current call to its end, or throws SUSPENDED. The result of work of several steps is kept. */
  callResult<T extends Value>(begin: () => Steps<T>): T {
    if (this.#spent === undefined) return runAtOnce(begin())
    const { call } = this
    const before = this.wasSuspended ? this.doneBefore(call) : undefined
    if (before !== undefined) return before as T
    const rest = this.continueAt(call)
    const steps = (rest as Steps<T> | undefined) ?? begin()
    for (let isLong = rest !== undefined; ; isLong = true) {
      const { done, value } = steps.next()
      if (done) {
        if (isLong) this.finish(call, value)
        return value
      }
      if (this.#spent()) this.#suspendAt(call, steps)
    }
  }

  /** Suspends the evaluation after a call whose result is kept, if the turn is spent. */
  suspendAfter(call: object): void {
    if (this.#spent?.()) this.#suspendAt(call)
  }

  #suspendAt(call: object, steps?: Steps<Value>): never {
    this.#suspended = { call, cost: this.cost, workLeft: workLeft(), steps }
    throw SUSPENDED
  }

  /**
   * Restores cost and work if the evaluation was suspended in this call or after it, because what precedes the call has
   * been charged before. Returns the rest of its steps.
   */
  continueAt(call: object): Steps<Value> | undefined {
    const at = this.#suspended
    if (at?.call !== call) return undefined
    this.#suspended = undefined
    this.cost = at.cost
    restoreWork(at.workLeft)
    return at.steps
  }

  /** Whether no loop has recorded the suspension yet. */
  get isFirstToSuspend(): boolean {
    return this.#running.size === 0
  }

  /** Adds to the cost. Throws CostLimitExceeded. */
  charge(cost: number): void {
    this.cost += cost
    if (this.cost > this.#limit) throw new CostLimitExceeded()
  }

  /** Reports whether to end the evaluation. Called once per round of a loop. */
  shouldStop(): boolean {
    this.#rounds++
    return this.#interrupted !== undefined && this.#rounds % 100 === 0 && this.#interrupted()
  }

  /** Reports whether to suspend the evaluation before the next round. */
  shouldSuspend(): boolean {
    return this.#spent !== undefined && this.#rounds % ROUNDS_OF_A_SLICE === 0 && this.#spent()
  }

  /** Returns the result of a loop or long call that finished before the suspension. */
  doneBefore(part: object): Value | undefined {
    return this.#done[this.#depth]?.get(part)
  }

  /** Returns the range of a suspended loop. */
  roundsOf(loop: object): Rounds | undefined {
    return this.#running.get(loop)?.rounds
  }

  /**
   * Enters a loop and returns the state in which it was suspended. When the innermost loop has been restored, the cost
   * is reset to that of the suspension.
   */
  enter(loop: object): LoopState | undefined {
    this.#depth++
    const state = this.#running.get(loop)
    if (state && this.#running.delete(loop) && this.#running.size === 0) this.cost = this.#costBefore
    return state
  }

  /** Discards the results of the previous round. */
  nextRound(): void {
    this.#done[this.#depth]?.clear()
  }

  /** Leaves a loop that finished or was interrupted. */
  leave(): void {
    this.nextRound()
    this.#depth--
  }

  /** Stores the result of a finished loop or long call. */
  finish(part: object, value: Value): void {
    let done = this.#done[this.#depth]
    if (done === undefined) {
      done = new Map()
      this.#done[this.#depth] = done
    }
    done.set(part, value)
  }

  /**
   * Records the state of a loop. Called by each running loop, innermost first, as SUSPENDED propagates. An evaluation
   * that is suspended again before it has come back to a loop keeps the cost of that loop.
   */
  suspend(loop: object, state: LoopState): void {
    if (this.isFirstToSuspend) this.#costBefore = this.cost
    this.#running.set(loop, state)
  }

  /** Prepares for running the evaluation again. */
  resume(): void {
    this.wasSuspended = true
    this.#depth = 0
    this.cost = 0
  }
}

/** A part of a program. Returns a value, which may be an error, and charges its cost. */
export type Evaluate = (frame: Frame) => Value
