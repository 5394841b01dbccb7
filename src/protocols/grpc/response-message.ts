import { joinInSteps } from '../../lib/join-buffers.ts'
import type { Steps } from '../../lib/steps.ts'
import type { CallFailure } from './call-failure.ts'
import { malformed, PREFIX_BYTES, tooLong } from './unary.ts'

/** A longer message is kept in blocks of this size until it is complete: a server that only announces one takes no more memory. */
const BLOCK_BYTES = 1 << 20

/** The message of one response, put together from its DATA. It holds one copy of the message, however small the frames are. */
export class ResponseMessage {
  readonly #maxBytes: number
  readonly #prefix = Buffer.alloc(PREFIX_BYTES)
  #prefixBytes = 0
  /** Bytes of the message that are still to come, once its length is known. */
  #left = 0
  #length = 0
  /** Full, but for the last one. */
  readonly #blocks: Buffer[] = []
  /** Bytes of the last block that are filled. */
  #filled = 0

  /** `maxBytes`: the longest message that is accepted. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Takes the content of a frame, and returns why the call fails if it does. The content is not copied if it is a whole message. */
  add(bytes: Buffer): CallFailure | undefined {
    let rest = bytes
    if (this.#prefixBytes < PREFIX_BYTES) {
      const taken = rest.copy(this.#prefix, this.#prefixBytes)
      this.#prefixBytes += taken
      if (this.#prefixBytes < PREFIX_BYTES) return undefined
      rest = rest.subarray(taken)
      const fault = this.#begin()
      if (fault !== undefined) return fault
    }
    if (rest.length > this.#left) return malformed()
    if (this.#blocks.length === 0 && rest.length === this.#left) {
      this.#blocks.push(rest)
      this.#left = 0
    } else this.#copy(rest)
    return undefined
  }

  /** A compressed message was not asked for. */
  #begin(): CallFailure | undefined {
    this.#length = this.#prefix.readUInt32BE(1)
    this.#left = this.#length
    if (this.#prefix[0] !== 0) return malformed()
    return this.#left > this.#maxBytes ? tooLong(this.#left, this.#maxBytes) : undefined
  }

  #copy(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0; ) {
      let block = this.#blocks.at(-1)
      if (block === undefined || this.#filled === block.length) {
        block = Buffer.allocUnsafe(Math.min(this.#left, BLOCK_BYTES))
        this.#blocks.push(block)
        this.#filled = 0
      }
      const taken = rest.copy(block, this.#filled)
      this.#filled += taken
      this.#left -= taken
      rest = rest.subarray(taken)
    }
  }

  /** Bytes of its length. 0 until that is known. */
  get length(): number {
    return this.#length
  }

  /** Bytes that `add` takes next: the rest of the prefix, or of the message behind it. */
  get wanted(): number {
    return this.#prefixBytes < PREFIX_BYTES ? PREFIX_BYTES - this.#prefixBytes : this.#left
  }

  get isComplete(): boolean {
    return this.#prefixBytes === PREFIX_BYTES && this.#left === 0
  }

  /** The complete message. Long ones take time to join. */
  inSteps(): Steps<Buffer> {
    return joinInSteps(this.#blocks)
  }
}
