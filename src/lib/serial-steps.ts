import { runInTurns, type Steps, startInTurns } from './steps.ts'

/**
 * Runs steps one after the other, in the order of the calls. For steps that change shared data, which other changes
 * must not see half done.
 */
export class SerialSteps {
  #last: Promise<unknown> | undefined

  /** Returns the result itself if no other steps are running and the current turn suffices. */
  run<T>(steps: Steps<T>): T | Promise<T> {
    const result = this.#last ? this.#last.then(() => runInTurns(steps)) : startInTurns(steps)
    if (!(result instanceof Promise)) return result
    const forget = (): void => {
      if (this.#last === last) this.#last = undefined
    }
    const last = result.then(forget, forget)
    this.#last = last
    return result
  }
}
