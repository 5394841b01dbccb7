import { turnIsSpent } from '../../lib/turn.ts'
import type { TurnShare } from '../http2/turn-share.ts'

/** A request whose stream Node has made known. */
interface Begun {
  /** Its client has given it up: there is nothing to serve. */
  readonly isOver: () => boolean
  readonly serve: () => void
}

/**
 * Requests of one connection that wait to be served. Node hands over all of a read at once, some thousand: when the turn of the event loop is spent they wait for later ones, in which all connections that
 * wait have the same share.
 */
export class BegunRequests {
  readonly #turns: TurnShare
  #waiting: Begun[] = []

  /** `turns`: of the port. */
  constructor(turns: TurnShare) {
    this.#turns = turns
  }

  add(begun: Begun): void {
    if (this.#waiting.length === 0 && !turnIsSpent()) begun.serve()
    else if (this.#waiting.push(begun) === 1) this.#wait()
  }

  /** With the connection its requests are over. */
  clear(): void {
    this.#waiting = []
  }

  #wait(): void {
    this.#turns.wait(quota => this.#serve(quota))
  }

  #serve(quota: number): void {
    let left = quota
    let next = 0
    for (const begun of this.#waiting) {
      // At least one, so that each connection goes on.
      if (left === 0 || (left < quota && turnIsSpent())) break
      next++
      if (begun.isOver()) continue
      left--
      begun.serve()
    }
    this.#waiting = this.#waiting.slice(next)
    if (this.#waiting.length > 0) this.#wait()
  }
}
