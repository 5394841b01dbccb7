/** For each that waits, beside the bytes that it asks for. */
const BESIDE_WAITING = 1024

/** Memory that is given out in the order in which it is asked for. Who asks for more than there is gets it once nobody else has any. Only so many bytes may be waited for. */
export class ByteRoom {
  readonly #most: number
  readonly #mostWaiting: number
  #taken = 0
  /** Bytes that are waited for, with what is counted beside each. */
  #waitingBytes = 0
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = []

  constructor(most: number, mostWaiting: number) {
    this.#most = most
    this.#mostWaiting = mostWaiting
  }

  /** Resolves with true when there is room, which is to be given back; with false, at once, where too many bytes are waited for already. */
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
