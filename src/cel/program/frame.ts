import type { Value } from '../values/value.ts'

/** Where variables are looked up; a Map is one. */
export interface Activation {
  get(name: string): Value | undefined
}

/** Thrown when an evaluation has cost more than it may. */
export class CostLimitExceeded extends Error {
  override readonly name = 'CostLimitExceeded'

  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

/** The state of one evaluation. */
export class Frame {
  readonly activation: Activation
  readonly #limit: number
  /** Variables of loops, each at a place of its own. */
  readonly slots: (Value | undefined)[]
  readonly #interrupted: (() => boolean) | undefined
  #iterations = 0
  cost = 0

  constructor(activation: Activation, slots: number, limit: number, interrupted: (() => boolean) | undefined) {
    this.activation = activation
    this.slots = new Array<Value | undefined>(slots).fill(undefined)
    this.#limit = limit
    this.#interrupted = interrupted
  }

  /** Adds to the cost. Throws CostLimitExceeded. */
  charge(cost: number): void {
    this.cost += cost
    if (this.cost > this.#limit) throw new CostLimitExceeded()
  }

  /** Called once for each iteration of a loop; every hundredth asks whether to stop. */
  shouldStop(): boolean {
    return this.#interrupted !== undefined && ++this.#iterations % 100 === 0 && this.#interrupted()
  }
}

/** A part of a program: gives a value, which may be an error, and charges what it costs. */
export type Evaluate = (frame: Frame) => Value
