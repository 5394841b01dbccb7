import { inLongTurn, inNextTurn } from '../../lib/turn.ts'

/** Requests that all connections which had to wait begin in a turn together, before each of them has to wait again. */
const SHARED_REQUESTS = 64

/** Shares turns of the event loop out among the connections of a port. */
export class TurnShare {
  /** Connections that wait for a turn. */
  #waiting = 0
  /** Long header blocks that are read, in order: a turn reads a slice of the first, so that nobody waits for a whole block. */
  readonly #slices: (() => boolean)[] = []
  #isReading = false

  /** Calls back in a later turn with how many requests a connection may begin then: the more connections wait, the fewer. */
  wait(resume: (quota: number) => void): void {
    this.#waiting++
    inNextTurn(() => {
      const quota = Math.max(1, Math.floor(SHARED_REQUESTS / this.#waiting))
      this.#waiting--
      resume(quota)
    })
  }

  /** Calls back once in each of later turns, behind those who came before, until it returns true. */
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
