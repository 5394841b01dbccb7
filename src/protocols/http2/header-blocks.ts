import type { Steps } from '../../lib/steps.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { Flag, type Frame, FrameType, fragmentOf } from './frames.ts'
import { HeaderDecoder } from './header-decoder.ts'
import { MAX_HEADER_FRAMES, MAX_OPEN_HEAD_BYTES, ORDINARY_HEAD_BYTES } from './limits.ts'

/** Counts the heads of a connection's open requests. They are held until the last byte of the response is sent. */
export class OpenHeads {
  #bytes = 0

  /** Adds a head. Returns false if the limit would be exceeded. A single head is always accepted. */
  add(bytes: number): boolean {
    if (this.#bytes > 0 && this.#bytes + bytes > MAX_OPEN_HEAD_BYTES) return false
    this.#bytes += bytes
    return true
  }

  remove(bytes: number): void {
    this.#bytes -= bytes
  }

  /** Bytes beyond those of ordinary requests. A connection with a thousand watches is not over its limit. */
  get heldBytes(): number {
    return this.#bytes > ORDINARY_HEAD_BYTES ? this.#bytes : 0
  }
}

/** A complete header block. */
export interface WholeBlock {
  readonly stream: number
  readonly endStream: boolean
  readonly block: Buffer
}

/** Decoded headers or trailers of a request. */
export interface HeaderBlock {
  readonly stream: number
  readonly endStream: boolean
  /** Alternating names and values. */
  readonly fields: string[]
  /** Whether the limit was exceeded. `fields` then has the first fields. */
  readonly tooLarge: boolean
  /** Whether any of `fields` is invalid in HTTP/2. */
  readonly isMalformed: boolean
}

/**
 * Assembles and decodes the header blocks of a connection. All methods throw a ConnectionError, because a decoding
 * error makes all later blocks undecodable.
 */
export class HeaderBlocks {
  readonly #maxBytes: number
  readonly #decoder: HeaderDecoder
  #open: { readonly frame: Frame; readonly fragments: Buffer[]; bytes: number } | undefined

  /**
   * @param maxBytes limit for a decoded header list.
   * @param maxFields limit for its fields.
   */
  constructor(maxBytes: number, maxFields: number) {
    this.#maxBytes = maxBytes
    this.#decoder = new HeaderDecoder(maxBytes, maxFields)
  }

  /** Stream of the incomplete block, or 0. */
  get openStream(): number {
    return this.#open?.frame.stream ?? 0
  }

  /** Bytes of the incomplete block. */
  get openBytes(): number {
    return this.#open?.bytes ?? 0
  }

  /** Checks that a frame continues the incomplete block, as the protocol requires of the next frame. */
  checkNext({ type, stream }: Frame): void {
    if (this.#open !== undefined && (type !== FrameType.continuation || stream !== this.#open.frame.stream))
      throw new ConnectionError(ErrorCode.protocol, 'headers are not continued')
  }

  /** Begins a block. Returns undefined if it is incomplete. */
  begin(frame: Frame): WholeBlock | undefined {
    this.#open = { frame, fragments: [], bytes: 0 }
    return this.#add(fragmentOf(frame), frame.flags)
  }

  continue({ payload, flags }: Frame): WholeBlock | undefined {
    return this.#add(payload, flags)
  }

  #add(fragment: Buffer, flags: number): WholeBlock | undefined {
    const open = this.#open
    if (open === undefined) throw new ConnectionError(ErrorCode.protocol, 'there are no headers to continue')
    open.fragments.push(fragment)
    open.bytes += fragment.length
    if (open.bytes > this.#maxBytes || open.fragments.length > MAX_HEADER_FRAMES)
      throw new ConnectionError(ErrorCode.calm, 'there are more headers than are taken')
    if ((flags & Flag.endHeaders) === 0) return undefined
    this.#open = undefined
    const { stream, flags: first } = open.frame
    const block = open.fragments.length === 1 ? fragment : Buffer.concat(open.fragments)
    return { stream, endStream: (first & Flag.endStream) !== 0, block }
  }

  /** Decodes a block. Blocks must be decoded in the order of arrival, even if their streams are refused. */
  decode({ stream, endStream, block }: WholeBlock): HeaderBlock {
    return { stream, endStream, ...this.#decoder.decode(block) }
  }

  /** Decodes a long block in steps. */
  *decodeInSteps({ stream, endStream, block }: WholeBlock): Steps<HeaderBlock> {
    return { stream, endStream, ...(yield* this.#decoder.decodeInSteps(block)) }
  }
}
