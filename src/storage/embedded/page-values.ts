const FIRST = 16 << 10
const LONGEST = 1 << 20

/**
 * Copies the values of a page into buffers that they share. The first is small and each later one twice as long, so that a page of few values takes little and one of many makes few buffers: one for each value would cost as much
 * as reading it. A value pins those of the page that share its buffer.
 */
export class PageValues {
  #room = Buffer.alloc(0)
  #length = FIRST / 2

  keep(view: Buffer): Buffer {
    const size = view.length
    if (size > this.#room.length) {
      this.#length = Math.min(2 * this.#length, LONGEST)
      // A large value gets a buffer of its own, and the others go on in theirs.
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
