/** Bytes of a part that has not been moved yet. */
const NOTHING: Buffer = Buffer.alloc(0)

/**
 * A part of a buffer. It is mutable, because creating a view of each key and value takes longer than checking them:
 * readers move one part from row to row.
 */
export class Part {
  /** Buffer that holds the part. It is not copied. */
  bytes = NOTHING
  /** Offset of the first byte. */
  start = 0
  /** Offset after the last byte. */
  end = 0

  /** Returns a new part that covers a whole buffer. */
  static of(bytes: Buffer): Part {
    return new Part().moveTo(bytes, 0, bytes.length)
  }

  get length(): number {
    return this.end - this.start
  }

  /** Makes this the part from `start`, inclusive, to `end`, exclusive. Returns itself. */
  moveTo(bytes: Buffer, start: number, end: number): this {
    this.bytes = bytes
    this.start = start
    this.end = end
    return this
  }

  /** Returns a buffer on the same memory. */
  view(): Buffer {
    return this.bytes.subarray(this.start, this.end)
  }

  /** Returns a part with a copy of the bytes. */
  copy(): Part {
    return Part.of(Buffer.from(this.view()))
  }
}

/** Compares keys like LMDB: by bytes, and then by length. */
export function compareParts(a: Part, b: Part): number {
  const { bytes, start } = a
  const { bytes: others, start: othersStart } = b
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = (bytes[start + i] ?? 0) - (others[othersStart + i] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
