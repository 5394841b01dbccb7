/** Window for data from the client, on a stream or the connection (RFC 9113, section 5.2). */
export class ReceiveWindow {
  readonly #size: number
  readonly #widen: (bytes: number) => void
  #left: number
  /** Bytes that were read but not reported by WINDOW_UPDATE. */
  #taken = 0

  /** @param widen sends a WINDOW_UPDATE. Called when half of the window has been read. */
  constructor(size: number, widen: (bytes: number) => void) {
    this.#size = size
    this.#left = size
    this.#widen = widen
  }

  /** Bytes that have arrived but were not read. */
  get unread(): number {
    return this.#size - this.#left - this.#taken
  }

  /** Counts received bytes. Returns false if they exceed the window. */
  receive(bytes: number): boolean {
    this.#left -= bytes
    return this.#left >= 0
  }

  /** Counts bytes that were read. */
  take(bytes: number): void {
    this.#taken += bytes
    if (this.#taken * 2 < this.#size) return
    this.#widen(this.#taken)
    this.#left += this.#taken
    this.#taken = 0
  }
}
