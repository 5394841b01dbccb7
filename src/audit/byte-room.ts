/** Memory of a waiter besides the bytes that it requests. */
const BESIDE_WAITING = 1024

/**
 * A FIFO semaphore of bytes. A request beyond the total is granted when nothing else is. The bytes that may wait are
 * bounded.
 */
export class ByteRoom {
  readonly #most: number
  readonly #mostWaiting: number
  #taken = 0
  /** Bytes of the waiting requests, including BESIDE_WAITING for each. */
  #waitingBytes = 0
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = []

  constructor(most: number, mostWaiting: number) {
    this.#most = most
    this.#mostWaiting = mostWaiting
  }

  /**
   * Resolves with true when there is room; the caller returns it by `give`. Resolves with false immediately if too many
   * bytes wait.
   */
  async take(bytes: number): Promise<boolean> {
    if (this.#waiting.length > 0 && this.#waitingBytes + bytes + BESIDE_WAITING > this.#mostWaiting) return false
    await new Promise<void>(go => {
      this.#waiting.push({ bytes, go })
      this.#waitingBytes += bytes + BESIDE_WAITING
      this.#admit()
    })
    return true
  }

  give(bytes: number): void {
    this.#taken -= bytes
    this.#admit()
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next && (this.#taken === 0 || this.#taken + next.bytes <= this.#most); next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#waitingBytes -= next.bytes + BESIDE_WAITING
      this.#taken += next.bytes
      next.go()
    }
  }
}
