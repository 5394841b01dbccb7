import { joinInSteps } from '../../lib/join-buffers.ts'
import type { Steps } from '../../lib/steps.ts'
import type { CallFailure } from './call-failure.ts'
import { malformed, messageTooLong, PREFIX_BYTES } from './unary.ts'

/**
 * Size of the blocks that a longer message is collected in: more than a page of a range. The system provides memory of
 * a block as the message arrives, not when it is announced, and a message in one block need not be copied again.
 */
const BLOCK_BYTES = 32 << 20

/** Blocks that are kept for later messages. */
const MOST_FREE = 2

/**
 * Memory of long messages that are read one after the other. The memory of a message that is given back is used for
 * later ones, which saves the system from providing it again.
 */
export class MessageBlocks {
  #free: Buffer[] = []
  readonly #lent = new WeakSet<ArrayBufferLike>()
  #isReused = false

  /** Returns a block of the size in bytes. */
  take(bytes: number): Buffer {
    // Messages that follow one another are of similar sizes, not of the same. A message that is kept has no more memory
    // than it needs.
    const longest = bytes + (bytes >> 2)
    const at = this.#free.findIndex(({ length }) => length >= bytes && length <= longest)
    const [block = Buffer.allocUnsafeSlow(this.#isReused ? bytes + (bytes >> 3) : bytes)] = at < 0 ? [] : this.#free.splice(at, 1)
    this.#lent.add(block.buffer)
    return block.subarray(0, bytes)
  }

  /** Whether a message is in a block. */
  isLent({ buffer }: Buffer): boolean {
    return this.#lent.has(buffer)
  }

  /**
   * Takes back the block that a message is in. Its bytes are overwritten from now on. Does nothing if the message is
   * not in a block.
   */
  give({ buffer }: Buffer): void {
    if (!this.#lent.delete(buffer)) return
    this.#isReused = true
    this.#free = [Buffer.from(buffer as ArrayBuffer), ...this.#free].slice(0, MOST_FREE)
  }
}

/** Assembles a message from DATA frames. It holds one copy of the message, however small the frames are. */
export class ResponseMessage {
  readonly #maxBytes: number
  readonly #memory: MessageBlocks | undefined
  readonly #prefix = Buffer.alloc(PREFIX_BYTES)
  #prefixBytes = 0
  /** Bytes of the message that have not arrived, if its length is known. */
  #left = 0
  #length = 0
  /** Blocks of the message. All except the last are full. */
  readonly #blocks: Buffer[] = []
  /** Bytes of the last block that are used. */
  #filled = 0

  /**
   * @param maxBytes maximum length of the message.
   * @param memory Optional. Provides the blocks of a message that takes several frames.
   */
  constructor(maxBytes: number, memory?: MessageBlocks) {
    this.#maxBytes = maxBytes
    this.#memory = memory
  }

  /**
   * Adds the content of a frame. Returns the failure if the message is invalid. The content is not copied if it is a
   * complete message.
   */
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
        const size = Math.min(this.#left, BLOCK_BYTES)
        block = this.#memory?.take(size) ?? Buffer.allocUnsafeSlow(size)
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
