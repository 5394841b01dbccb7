/** A field of an encoded message. `varint` has its number, or `bytes` the contents of a length-delimited field. */
export interface WireField {
  readonly number: number
  readonly wire: 'varint' | 'fixed64' | 'bytes' | 'fixed32'
  readonly varint: bigint
  readonly bytes: Uint8Array
}

const NO_BYTES = new Uint8Array()

/** Reads the fields of an encoded message in order (protobuf.dev, "Encoding"). The deprecated groups are rejected as malformed. */
class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get ended(): boolean {
    return this.#at >= this.#bytes.length
  }

  #varint(): bigint | undefined {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) return undefined
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value < 1n << 64n ? value : undefined
    }
    return undefined
  }

  #take(length: number): Uint8Array | undefined {
    const end = this.#at + length
    if (end > this.#bytes.length) return undefined
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  /** Reads the next field. Undefined if the encoding is malformed. */
  next(): WireField | undefined {
    const tag = this.#varint()
    if (tag === undefined) return undefined
    const number = Number(tag >> 3n)
    if (number < 1 || number >= 2 ** 29) return undefined
    switch (Number(tag & 7n)) {
      case 0: {
        const varint = this.#varint()
        return varint === undefined ? undefined : { number, wire: 'varint', varint, bytes: NO_BYTES }
      }
      case 1:
        return held(number, 'fixed64', this.#take(8))
      case 2: {
        const length = this.#varint()
        return length === undefined ? undefined : held(number, 'bytes', this.#take(Number(length)))
      }
      case 5:
        return held(number, 'fixed32', this.#take(4))
      default:
        return undefined
    }
  }
}

const held = (number: number, wire: WireField['wire'], bytes: Uint8Array | undefined): WireField | undefined => bytes && { number, wire, varint: 0n, bytes }

/** Decodes the fields of a message in order. Undefined if it is malformed. */
export function wireFields(bytes: Uint8Array): WireField[] | undefined {
  const reader = new Reader(bytes)
  const fields: WireField[] = []
  while (!reader.ended) {
    const field = reader.next()
    if (!field) return undefined
    fields.push(field)
  }
  return fields
}
