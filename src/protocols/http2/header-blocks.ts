import type { Steps } from '../../lib/steps.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { Flag, type Frame, FrameType, fragmentOf } from './frames.ts'
import { HeaderDecoder } from './header-decoder.ts'
import { MAX_HEADER_FRAMES, MAX_OPEN_HEAD_BYTES, ORDINARY_HEAD_BYTES } from './limits.ts'

/** The heads of a connection's open requests, which are kept until the last byte of the answer has left. */
export class OpenHeads {
  private bytes = 0

  /** False where there is no room for another of so many bytes; one by itself always has it. */
  add(bytes: number): boolean {
    if (this.bytes > 0 && this.bytes + bytes > MAX_OPEN_HEAD_BYTES) return false
    this.bytes += bytes
    return true
  }

  remove(bytes: number): void {
    this.bytes -= bytes
  }

  /** Bytes beyond those of ordinary requests: a thousand watches are nothing that a connection is closed for. */
  get heldBytes(): number {
    return this.bytes > ORDINARY_HEAD_BYTES ? this.bytes : 0
  }
}

/** A block that is there as a whole. */
export interface WholeBlock {
  readonly stream: number
  readonly endStream: boolean
  readonly block: Buffer
}

/** The headers of a request, or what follows its body. */
export interface HeaderBlock {
  readonly stream: number
  readonly endStream: boolean
  /** Names and values in turn. */
  readonly fields: string[]
  /** There were more than are taken: `fields` has the first. */
  readonly tooLarge: boolean
  /** Whether one of `fields` may not be in a message of HTTP/2. */
  readonly isMalformed: boolean
}

/** Puts the header blocks of a connection together, and reads them. All of its methods throw a ConnectionError: after a block that can't be read, no other can. */
export class HeaderBlocks {
  private readonly maxBytes: number
  private readonly decoder: HeaderDecoder
  private open: { readonly frame: Frame; readonly fragments: Buffer[]; bytes: number } | undefined

  /** Of one block: bytes, and fields. */
  constructor(maxBytes: number, maxFields: number) {
    this.maxBytes = maxBytes
    this.decoder = new HeaderDecoder(maxBytes, maxFields)
  }

  /** The stream of a block that has begun; 0: there is none. */
  get openStream(): number {
    return this.open?.frame.stream ?? 0
  }

  /** Of such a block. */
  get openBytes(): number {
    return this.open?.bytes ?? 0
  }

  /** A block that has begun is continued by the next frame, whatever else there is. */
  checkNext({ type, stream }: Frame): void {
    if (this.open !== undefined && (type !== FrameType.continuation || stream !== this.open.frame.stream))
      throw new ConnectionError(ErrorCode.protocol, 'headers are not continued')
  }

  /** Undefined: there is more to come. */
  begin(frame: Frame): WholeBlock | undefined {
    this.open = { frame, fragments: [], bytes: 0 }
    return this.add(fragmentOf(frame), frame.flags)
  }

  continue({ payload, flags }: Frame): WholeBlock | undefined {
    return this.add(payload, flags)
  }

  private add(fragment: Buffer, flags: number): WholeBlock | undefined {
    const { open } = this
    if (open === undefined) throw new ConnectionError(ErrorCode.protocol, 'there are no headers to continue')
    open.fragments.push(fragment)
    open.bytes += fragment.length
    if (open.bytes > this.maxBytes || open.fragments.length > MAX_HEADER_FRAMES)
      throw new ConnectionError(ErrorCode.calm, 'there are more headers than are taken')
    if ((flags & Flag.endHeaders) === 0) return undefined
    this.open = undefined
    const { stream, flags: first } = open.frame
    const block = open.fragments.length === 1 ? fragment : Buffer.concat(open.fragments)
    return { stream, endStream: (first & Flag.endStream) !== 0, block }
  }

  /** Blocks are read in the order in which they came, whatever becomes of their streams. */
  decode({ stream, endStream, block }: WholeBlock): HeaderBlock {
    return { stream, endStream, ...this.decoder.decode(block) }
  }

  /** The same in steps, for long blocks. */
  *decodeInSteps({ stream, endStream, block }: WholeBlock): Steps<HeaderBlock> {
    return { stream, endStream, ...(yield* this.decoder.decodeInSteps(block)) }
  }
}
