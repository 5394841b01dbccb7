const CRLF = Buffer.from('\r\n')

/** What is longer is rare, and costs more to keep than to make. */
const MOST_KEPT_BYTES = 1 << 20

/** Bytes of one write that many clients are sent. Each form in which they go onto a connection is made once, for all of them. */
export class SharedBytes {
  /** In order: messages, where the connection has such. Not to be changed. */
  readonly pieces: readonly Buffer[]
  readonly length: number
  #joined: Buffer | undefined
  #chunk: Buffer | undefined

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces
    let length = 0
    for (const piece of pieces) length += piece.length
    this.length = length
  }

  /** All pieces in one buffer. */
  get joined(): Buffer {
    if (this.#joined !== undefined) return this.#joined
    const joined = this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces, this.length)
    if (this.length <= MOST_KEPT_BYTES) this.#joined = joined
    return joined
  }

  /** The same as one chunk of HTTP/1.1 (RFC 9112, section 7.1). Not of nothing: that would be the end of a body. */
  get chunk(): Buffer {
    if (this.#chunk !== undefined) return this.#chunk
    const chunk = Buffer.concat([Buffer.from(`${this.length.toString(16)}\r\n`, 'latin1'), ...this.pieces, CRLF])
    if (this.length <= MOST_KEPT_BYTES) this.#chunk = chunk
    return chunk
  }
}
