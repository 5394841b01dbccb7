import { joinInSteps } from '../../lib/join-buffers.ts'
import type { Steps } from '../../lib/steps.ts'
import type { CallFailure } from './call-failure.ts'
import { malformed, messageTooLong, PREFIX_BYTES } from './unary.ts'

/**
 * Size of the blocks that a longer message is collected in: more than a page of a range. The system provides memory of a block as the message arrives, not when it is announced, and a message in one block need not be copied again.
 */
const BLOCK_BYTES = 32 << 20

/** Assembles a message from DATA frames. It holds one copy of the message, however small the frames are. */
export class ResponseMessage {
  readonly #maxBytes: number
  readonly #prefix = Buffer.alloc(PREFIX_BYTES)
  #prefixBytes = 0
  /** Bytes of the message that have not arrived, if its length is known. */
  #left = 0
  #length = 0
  /** Blocks of the message. All except the last are full. */
  readonly #blocks: Buffer[] = []
  /** Bytes of the last block that are used. */
  #filled = 0

  /** @param maxBytes maximum length of the message. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Adds the content of a frame. Returns the failure if the message is invalid. The content is not copied if it is a complete message. */
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

  /** Reads the prefix. A compressed message is rejected, because the client does not offer compression. */
  #begin(): CallFailure | undefined {
    this.#length = this.#prefix.readUInt32BE(1)
    this.#left = this.#length
    if (this.#prefix[0] !== 0) return malformed()
    return this.#left > this.#maxBytes ? messageTooLong(this.#left, this.#maxBytes) : undefined
  }

  #copy(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0; ) {
      let block = this.#blocks.at(-1)
      if (block === undefined || this.#filled === block.length) {
        block = Buffer.allocUnsafeSlow(Math.min(this.#left, BLOCK_BYTES))
        this.#blocks.push(block)
        this.#filled = 0
      }
      const taken = rest.copy(block, this.#filled)
      this.#filled += taken
      this.#left -= taken
      rest = rest.subarray(taken)
    }
  }

  /** Length of the message in bytes. 0 until it is known. */
  get length(): number {
    return this.#length
  }

  /** Bytes that `add` can take: the rest of the prefix, or of the message after it. */
  get wanted(): number {
    return this.#prefixBytes < PREFIX_BYTES ? PREFIX_BYTES - this.#prefixBytes : this.#left
  }

  get isComplete(): boolean {
    return this.#prefixBytes === PREFIX_BYTES && this.#left === 0
  }

  /** Returns the complete message in steps, because concatenating a long one takes time. */
  inSteps(): Steps<Buffer> {
    return joinInSteps(this.#blocks)
  }
}
