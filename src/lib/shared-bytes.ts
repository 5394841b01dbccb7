/** A message in one buffer, or in pieces that have not been joined yet. Must not be modified. */
export type Message = Buffer | readonly Buffer[]

/** Length of a message in bytes. */
export function messageLength(message: Message): number {
  if (Buffer.isBuffer(message)) return message.length
  let length = 0
  for (const piece of message) length += piece.length
  return length
}

/** Limit on the bytes that are cached. Longer messages are rare, and cost more to keep than to join. */
const MOST_KEPT_BYTES = 1 << 20
const CRLF = '\r\n'

/** Bytes of one write that many clients receive. They are joined once, with room for the chunk framing of HTTP/1.1. */
export class SharedBytes {
  readonly length: number
  readonly #messages: readonly Message[]
  #chunk: Buffer | undefined
  #joined: Buffer | undefined

  constructor(messages: readonly Message[]) {
    this.#messages = messages
    let length = 0
    for (const message of messages) length += messageLength(message)
    this.length = length
  }

  /** Messages in order, for connections with message framing. Must not be modified. */
  get pieces(): readonly Buffer[] {
    return this.#messages.map(message => (Buffer.isBuffer(message) ? message : Buffer.concat(message)))
  }

  /** All messages in one buffer. Must not be modified. */
  get joined(): Buffer {
    if (this.#joined !== undefined) return this.#joined
    const [only] = this.#messages
    if (this.#messages.length === 1 && Buffer.isBuffer(only)) return only
    const { chunk } = this
    const at = chunk.length - CRLF.length - this.length
    const joined = chunk.subarray(at, at + this.length)
    if (this.length <= MOST_KEPT_BYTES) this.#joined = joined
    return joined
  }

  /** All messages as one chunk of HTTP/1.1 (RFC 9112, section 7.1). Must not be empty: an empty chunk ends the body. */
  get chunk(): Buffer {
    if (this.#chunk !== undefined) return this.#chunk
    const head = this.length.toString(16) + CRLF
    const chunk = Buffer.allocUnsafeSlow(head.length + this.length + CRLF.length)
    let at = chunk.write(head, 'latin1')
    for (const message of this.#messages)
      for (const piece of Buffer.isBuffer(message) ? [message] : message) {
        chunk.set(piece, at)
        at += piece.length
      }
    chunk.write(CRLF, at, 'latin1')
    if (this.length <= MOST_KEPT_BYTES) this.#chunk = chunk
    return chunk
  }
}
