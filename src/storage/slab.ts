/** 1 MiB: garbage collection sees one external buffer instead of some hundred. */
const slabBytes = 1 << 20

/**
 * Where bytes that are kept for long live. A kept slice of Buffer's own pool pins 8 KB, and a buffer per object makes collections long.
 * A slab is freed when the last slice of it is; `cacher/slab-compactor.ts` moves what is left out of sparse ones.
 */
export class Slabs {
  #current = Buffer.alloc(0)
  #used = 0
  #allocated = 0

  /** Room for so many bytes, which pins only its slab. What is large has a slab of its own. */
  allocate(size: number): Buffer {
    if (size > slabBytes / 4) {
      this.#allocated += size
      return Buffer.allocUnsafeSlow(size)
    }
    if (this.#used + size > this.#current.length) {
      this.#current = Buffer.allocUnsafeSlow(slabBytes)
      this.#used = 0
      this.#allocated += slabBytes
    }
    const room = this.#current.subarray(this.#used, this.#used + size)
    this.#used += size
    return room
  }

  /** A copy of the bytes in a slab. */
  keep(bytes: Buffer): Buffer {
    const kept = this.allocate(bytes.length)
    kept.set(bytes)
    return kept
  }

  /** Whether the bytes are where they can stay: in the slab that is being filled, or in one of their own. */
  holds(bytes: Buffer): boolean {
    return this.isCurrent(bytes.buffer) || (bytes.length > slabBytes / 4 && bytes.buffer.byteLength === bytes.length)
  }

  /** The slab that is being filled. */
  get current(): Buffer {
    return this.#current
  }

  /** Bytes of all slabs ever made: how much there is to gain by moving things. */
  get allocated(): number {
    return this.#allocated
  }

  /** Whether it is the slab that is being filled. */
  isCurrent(slab: ArrayBufferLike): boolean {
    return slab === this.#current.buffer
  }
}
