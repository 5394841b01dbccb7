import { deflateRaw, inflateRawSync } from 'node:zlib'

/** Compressing less gains little. */
const LEAST = 4096

/** A text that is seldom read, kept compressed: another thread compresses it, and until then it is kept as it is. */
export class PackedText {
  private kept: Buffer | string

  constructor(text: string) {
    this.kept = text
    if (text.length < LEAST) return
    deflateRaw(text, (error, deflated) => {
      // Memory of just its size: what it comes in is larger.
      if (!error) this.kept = Buffer.from(deflated.buffer.slice(deflated.byteOffset, deflated.byteOffset + deflated.length))
    })
  }

  text(): string {
    return typeof this.kept === 'string' ? this.kept : inflateRawSync(this.kept).toString()
  }

  /** Bytes, or characters while it is not compressed yet. */
  get size(): number {
    return this.kept.length
  }
}
