/** Slab size: 1 MiB. The garbage collector then tracks one external buffer in place of several hundred. */
const SLAB_BYTES = 1 << 20

/**
 * Allocates memory for long-lived bytes. A slice of Buffer's own pool would pin 8 KB, and one buffer per object would
 * make garbage collection slow. A slab is freed with its last slice; `cacher/slab-compactor.ts` moves the remaining
 * slices out of sparse slabs.
 */
export class Slabs {
  #current = Buffer.alloc(0)
  #used = 0
  #allocated = 0
  #adopted: ArrayBufferLike | undefined

  /** Allocates `size` bytes in a slab. Large allocations get a slab of their own. The bytes are uninitialised. */
  allocate(size: number): Buffer {
    if (size > SLAB_BYTES / 4) {
      this.#allocated += size
      return Buffer.allocUnsafeSlow(size)
    }
    if (this.#used + size > this.#current.length) {
      this.#current = Buffer.allocUnsafeSlow(SLAB_BYTES)
      this.#used = 0
      this.#allocated += SLAB_BYTES
    }
    const room = this.#current.subarray(this.#used, this.#used + size)
    this.#used += size
    return room
  }

  /** Returns a copy of the bytes in a slab. */
  keep(bytes: Buffer): Buffer {
    const kept = this.allocate(bytes.length)
    kept.set(bytes)
    return kept
  }

  /** Counts memory of another owner that holds objects like a slab, once if the calls for it follow one another. */
  adopt(memory: ArrayBufferLike): void {
    if (memory === this.#adopted) return
    this.#adopted = memory
    this.#allocated += memory.byteLength
  }

  /** Whether the bytes need not be moved: they are in the current slab, or in one of their own. */
  holds(bytes: Buffer): boolean {
    return this.isCurrent(bytes.buffer) || (bytes.length > SLAB_BYTES / 4 && bytes.buffer.byteLength === bytes.length)
  }

  /** The slab that is being filled. Unused space is at its end. */
  get current(): Buffer {
    return this.#current
  }

  /** Bytes of all slabs ever allocated. Its growth bounds what compaction can free. */
  get allocated(): number {
    return this.#allocated
  }

  /** Whether this is the slab that is being filled. */
  isCurrent(slab: ArrayBufferLike): boolean {
    return slab === this.#current.buffer
  }
}
