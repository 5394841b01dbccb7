import { turnIsSpent } from '../../lib/turn.ts'
import type { TurnBudget } from '../http2/turn-budget.ts'

/** A request whose stream Node has reported. */
interface Begun {
  /** Whether the client has cancelled the request, so that it need not be served. */
  readonly isOver: () => boolean
  readonly serve: () => void
}

/**
 * Requests of one connection that wait to be served. Node reports all requests of a read at once, up to some thousand.
 * When the turn of the event loop is spent, the rest wait for later turns, which all waiting connections share equally.
 */
export class RequestQueue {
  readonly #turns: TurnBudget
  #waiting: Begun[] = []

  /** @param turns the share of the port. */
  constructor(turns: TurnBudget) {
    this.#turns = turns
  }

  add(begun: Begun): void {
    if (this.#waiting.length === 0 && !turnIsSpent()) begun.serve()
    else if (this.#waiting.push(begun) === 1) this.#wait()
  }

  /** Drops the requests of a closed connection. */
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
      // At least one request is served, so that each connection makes progress.
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
