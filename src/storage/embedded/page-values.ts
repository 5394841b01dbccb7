const FIRST = 16 << 10
const LONGEST = 1 << 20

/**
 * Copies the values of a page into shared buffers. The first buffer is small and each later one is twice as long, so
 * that a page of few values takes little memory and one of many needs few buffers: a buffer per value would cost as
 * much as reading it. A value retains the others in its buffer.
 */
export class PageValues {
  #room = Buffer.alloc(0)
  #length = FIRST / 2

  /** Returns a copy. `view` may be memory of the database, which is valid only until the transaction ends. */
  keep(view: Buffer): Buffer {
    const size = view.length
    if (size > this.#room.length) {
      this.#length = Math.min(2 * this.#length, LONGEST)
      // A large value gets a buffer of its own, and later values continue in the shared one.
      if (size > this.#length / 4) return copyInto(Buffer.allocUnsafeSlow(size), view)
      this.#room = Buffer.allocUnsafeSlow(this.#length)
    }
    const kept = copyInto(this.#room.subarray(0, size), view)
    this.#room = this.#room.subarray(size)
    return kept
  }
}

function copyInto(target: Buffer, view: Buffer): Buffer {
  target.set(view)
  return target
}
