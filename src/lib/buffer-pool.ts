/**
 * Reuses buffers of one size, because fresh memory costs more than the work done with it, and garbage collections
 * besides. Returning a buffer is optional.
 */
export class BufferPool {
  /** Size of each buffer. */
  readonly bytes: number
  readonly #most: number
  readonly #free: Buffer[] = []

  /** `most`: limit on the free buffers that are kept. */
  constructor(bytes: number, most: number) {
    this.bytes = bytes
    this.#most = most
  }

  /** Returns a buffer with undefined content. */
  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bytes)
  }

  /**
   * Returns a buffer to the pool. The caller must not hold references to it: the next user overwrites it. Buffers of
   * other sizes are ignored.
   */
  give(buffer: Buffer): void {
    if (buffer.length === this.bytes && this.#free.length < this.#most) this.#free.push(buffer)
  }
}
