import { InputBoundError } from '../lib/bounded-input.ts'
import { exceeds, type InputLimits } from './input-limits.ts'

const PROGRESS_MS = 10_000

/** Bounds of the reading, and where progress is printed. */
export interface InputWatchOptions {
  readonly limits: InputLimits
  /** Prints a line. */
  readonly say: (text: string) => void
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

/**
 * Limits the reading of input: reports progress every ten seconds, and stops it if there are too many objects or it
 * takes too long.
 */
export class InputWatch {
  readonly limits: InputLimits
  readonly #options: InputWatchOptions
  readonly #began: number
  #said: number
  #objects = 0

  constructor(options: InputWatchOptions) {
    this.limits = options.limits
    this.#options = options
    this.#began = options.now()
    this.#said = this.#began
  }

  /** Counts an object. Throws InputBoundError. */
  object(place: string): void {
    const { objects } = this.limits
    if (++this.#objects > objects) throw new InputBoundError(exceeds('objects', `${place}: there are more than ${objects} objects`))
    this.step(place)
  }

  /** Checks the time. Called between parts of the work that have limits of their own. Throws InputBoundError. */
  step(place: string): void {
    const { limits } = this
    const { say, now } = this.#options
    const time = now()
    if (time - this.#began > limits.minutes * 60_000)
      throw new InputBoundError(exceeds('minutes', `${place}: reading takes longer than ${limits.minutes} minutes`))
    if (time - this.#said < PROGRESS_MS) return
    this.#said = time
    say(`reading ${place}: ${this.#objects} objects so far\n`)
  }
}
