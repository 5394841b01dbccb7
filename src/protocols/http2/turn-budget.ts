import { inLongTurn, inNextTurn } from '../../lib/turn.ts'

/** Requests that all waiting connections may begin in a turn together. */
const SHARED_REQUESTS = 64

/** Shares the turns of the event loop among the connections of a port. */
export class TurnBudget {
  /** Number of connections that wait for a turn. */
  #waiting = 0
  /**
   * Long header blocks in progress, in order. A turn runs a slice of the first, so that others wait for a slice and not
   * for a whole block.
   */
  readonly #slices: (() => boolean)[] = []
  #isReading = false

  /**
   * Calls back in a later turn with the number of requests that the connection may then begin. The more connections
   * wait, the smaller it is.
   */
  wait(resume: (quota: number) => void): void {
    this.#waiting++
    inNextTurn(() => {
      const quota = Math.max(1, Math.floor(SHARED_REQUESTS / this.#waiting))
      this.#waiting--
      resume(quota)
    })
  }

  /** Calls `readOn` once per turn, after earlier callers, until it returns true. */
  readInSlices(readOn: () => boolean): void {
    this.#slices.push(readOn)
    this.#readNext()
  }

  #readNext(): void {
    if (this.#isReading || this.#slices.length === 0) return
    this.#isReading = true
    inLongTurn(() => {
      this.#isReading = false
      if (this.#slices[0]?.()) this.#slices.shift()
      this.#readNext()
    })
  }
}
