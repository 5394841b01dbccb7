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

  /** A copy of the bytes that pins only its slab. */
  keep(bytes: Buffer): Buffer {
    const size = bytes.length
    if (size > slabBytes / 4) {
      const own = Buffer.allocUnsafeSlow(size)
      bytes.copy(own)
      this.#allocated += size
      return own
    }
    if (this.#used + size > this.#current.length) {
      this.#current = Buffer.allocUnsafeSlow(slabBytes)
      this.#used = 0
      this.#allocated += slabBytes
    }
    const kept = this.#current.subarray(this.#used, this.#used + size)
    bytes.copy(kept)
    this.#used += size
    return kept
  }

  /** Bytes of all slabs ever made: how much there is to gain by moving things. */
  get allocated(): number {
    return this.#allocated
  }

  /** Whether the bytes are in the slab that is being filled. */
  isCurrent(bytes: Buffer): boolean {
    return bytes.buffer === this.#current.buffer
  }
}
