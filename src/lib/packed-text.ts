import { deflateRaw, inflateRawSync } from 'node:zlib'

/** Length below which compression gains little. */
const LEAST = 4096

/** A text that is rarely read, stored compressed. Another thread compresses it; until then it is stored as it is. */
export class PackedText {
  #kept: Buffer | string

  constructor(text: string) {
    this.#kept = text
    if (text.length < LEAST) return
    deflateRaw(text, (error, deflated) => {
      // The result of zlib is in a larger allocation.
      if (!error) this.#kept = Buffer.from(deflated.buffer.slice(deflated.byteOffset, deflated.byteOffset + deflated.length))
    })
  }

  text(): string {
    return typeof this.#kept === 'string' ? this.#kept : inflateRawSync(this.#kept).toString()
  }

  /** Size in bytes, or in characters while it is not compressed yet. */
  get size(): number {
    return this.#kept.length
  }
}
