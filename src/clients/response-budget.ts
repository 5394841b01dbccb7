import { DialError } from '../lib/dial-error.ts'

/** Maximum number of response bytes that are buffered at the same time, over all users of the room. */
const MOST_BYTES = 256 << 20

/**
 * Limits the memory that responses of other servers may occupy while they are received: each of many calls can receive
 * a long response slowly.
 */
export class ResponseBudget {
  readonly #mostBytes: number
  #bytes = 0

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes
  }

  /** Reserves bytes. Throws if the limit would be exceeded. */
  take(bytes: number): void {
    if (this.#bytes + bytes > this.#mostBytes) throw new DialError('the responses to other calls take up all memory for responses')
    this.#bytes += bytes
  }

  leave(bytes: number): void {
    this.#bytes -= bytes
  }
}
