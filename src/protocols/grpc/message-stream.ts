import type { Socket } from 'node:net'
import { paceReads } from '../../lib/paced-socket.ts'
import { startInTurns } from '../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { ConnectionError } from '../http2/errors.ts'
import { Flag, type Frame, FrameType, numbersFrame, unpadded } from '../http2/frames.ts'
import type { CallFailure } from './call-failure.ts'
import { FrameReceiver } from './frame-receiver.ts'
import { type ConnectionLimits, countSmallFrames, DEFAULT_LIMITS, ORDINARY_BLOCKS, PIECE_BYTES, RENEW_AFTER } from './limits.ts'
import { RequestSender } from './request-sender.ts'
import { ResponseMessage } from './response-message.ts'
import { cancelled, dropped, failureOf, malformed, type Peer, PREFIX_BYTES, requestHead, reset } from './unary.ts'

/** The only stream of its connection. */
const STREAM = 1
/** Bytes that the server may send before this side confirms some. */
const WINDOW_BYTES = 8 << 20
/** The connection is not read while so many messages, or so many bytes of them, wait for the reader. */
const MOST_WAITING = 1000
const MOST_WAITING_BYTES = 4 << 20
const TICK_MS = 500

/** A call of gRPC that has any number of messages in both directions. */
export interface StreamCall {
  readonly method: string
  /** Names in lower case, and their values. */
  readonly metadata: Readonly<Record<string, string>>
}

/**
 * A stream of messages in both directions, on a connection of its own. While the reader is behind, the connection is not read, and the server has to wait. Whatever the server sends, it is read at the
 * pace of turns and kept within bounds. A server that is silent is pinged, and the stream fails if it does not respond.
 */
export class MessageStream implements AsyncIterable<Buffer> {
  readonly #socket: Socket
  readonly #limits: ConnectionLimits
  readonly #sender: RequestSender
  readonly #receiver: FrameReceiver
  readonly #ticking: NodeJS.Timeout
  /** Those that the reader has not received. */
  #waiting: (Buffer | Promise<Buffer>)[] = []
  #waitingCount = 0
  #waitingBytes = 0
  /** A message whose end has not come. */
  #partial: ResponseMessage | undefined
  #smallFrames = 0
  #blocks = 0
  /** Bytes that are yet to be confirmed. */
  #received = 0
  #isPaused = false
  #isOver = false
  #failure: CallFailure | undefined
  #wake: () => void = () => {}

  /** `socket` is connected, with TLS where that is wanted. */
  constructor(socket: Socket, peer: Peer, { method, metadata }: StreamCall, limits: Partial<ConnectionLimits> = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
    this.#socket = socket
    this.#sender = new RequestSender(socket)
    this.#receiver = new FrameReceiver(this.#sender, {
      data: frame => this.#data(frame),
      headers: (flags, stream, block) => this.#headers(flags, stream, block),
      reset: (stream, code) => (stream === STREAM ? this.#end(reset(code)) : this.#receiver.idleFrame()),
      goAway: last => {
        if (last < STREAM) this.#end(dropped('the server goes away', true))
      },
      settings: () => {},
      widened: () => {},
    })
    socket.setNoDelay(true)
    socket.setTimeout(0)
    paceReads(socket, { pieceBytes: PIECE_BYTES })
    socket.on('data', bytes => this.#read(bytes))
    socket.on('error', () => {})
    socket.on('close', () => this.#end(dropped('Connection dropped', false)))
    this.#sender.open(WINDOW_BYTES)
    this.#sender.begin(STREAM, requestHead(method, peer, metadata))
    this.#ticking = setInterval(() => this.#tick(), TICK_MS).unref()
  }

  /** Sends a message. The stream fails if the server accepts none while many wait. */
  send(message: Buffer): void {
    if (this.#isOver) return
    this.#receiver.conduct.request()
    if (!this.#sender.sendMore(STREAM, message)) this.#end(dropped('the server accepts no messages', false))
  }

  /** Ends the stream and its connection. A reader gets a CallFailure of the code CANCELLED. */
  close(): void {
    this.#waiting = []
    this.#end(cancelled())
  }

  /** The messages of the server, for one reader. Throws a CallFailure, unless the server ends the stream without one. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const messages = this.#waiting
      this.#waiting = []
      for (const message of messages) {
        const bytes = Buffer.isBuffer(message) ? message : await message
        this.#waitingCount--
        this.#waitingBytes -= bytes.length
        yield bytes
        if (turnIsSpent()) await nextTurn()
      }
      if (this.#waiting.length > 0) continue
      this.#resume()
      if (this.#failure !== undefined) throw this.#failure
      if (this.#isOver) return
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }

  #read(bytes: Buffer): void {
    if (this.#isOver) return
    try {
      this.#receiver.read(bytes)
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error
      this.#end(dropped(error.message, false))
    }
    if (!this.#isOver && (this.#waitingCount >= MOST_WAITING || this.#waitingBytes >= MOST_WAITING_BYTES)) {
      this.#isPaused = true
      this.#socket.pause()
    }
  }

  #resume(): void {
    if (!this.#isPaused || this.#isOver) return
    this.#isPaused = false
    this.#receiver.wait()
    this.#socket.resume()
  }

  #data(frame: Frame): void {
    if (frame.stream !== STREAM) {
      this.#receiver.idleFrame()
      return
    }
    this.#renew(frame.payload.length)
    const content = unpadded(frame)
    if (content.length === 0) this.#receiver.idleFrame()
    this.#smallFrames = countSmallFrames(this.#smallFrames, content.length)
    this.#receiver.conduct.body(content.length)
    const failure = this.#split(content)
    if (failure !== undefined) this.#end(failure)
    // A server's stream ends with headers.
    else if ((frame.flags & Flag.endStream) !== 0) this.#end(malformed())
  }

  #renew(bytes: number): void {
    this.#received += bytes
    if (this.#received < RENEW_AFTER) return
    this.#sender.write(numbersFrame(FrameType.windowUpdate, STREAM, this.#received))
    this.#received = 0
  }

  /** Returns why the stream fails if it does. */
  #split(content: Buffer): CallFailure | undefined {
    for (let rest = content; rest.length > 0; ) {
      const whole = this.#partial === undefined ? wholeMessage(rest, this.#limits.maxMessageBytes) : undefined
      if (whole !== undefined) {
        // A copy: the rest of what was read is not to be kept for a small message.
        this.#add(Buffer.from(whole), whole.length)
        rest = rest.subarray(PREFIX_BYTES + whole.length)
        continue
      }
      this.#partial ??= new ResponseMessage(this.#limits.maxMessageBytes)
      const part = rest.subarray(0, this.#partial.wanted)
      const failure = this.#partial.add(part)
      if (failure !== undefined) return failure
      rest = rest.subarray(part.length)
      if (!this.#partial.isComplete) continue
      const { length } = this.#partial
      this.#add(startInTurns(this.#partial.inSteps()), length)
      this.#partial = undefined
    }
    return undefined
  }

  #add(message: Buffer | Promise<Buffer>, bytes: number): void {
    this.#smallFrames = 0
    this.#waitingCount++
    this.#waitingBytes += bytes
    if (this.#waiting.push(message) === 1) this.#wake()
  }

  #headers(flags: number, stream: number, block: Buffer): void {
    if (stream !== STREAM || ++this.#blocks > ORDINARY_BLOCKS) this.#receiver.idleFrame()
    if (stream !== STREAM || (flags & Flag.endStream) === 0) return
    this.#end(failureOf(block) ?? (this.#partial === undefined ? undefined : malformed()))
  }

  #tick(): void {
    if (!this.#isPaused && this.#receiver.isSilent(this.#limits)) this.#end(dropped('the server is silent', false))
  }

  #end(failure: CallFailure | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#failure = failure
    clearInterval(this.#ticking)
    this.#receiver.end()
    this.#socket.destroy()
    this.#wake()
  }
}

/** The first message of some bytes; undefined if they do not have all of it, or it is not one to accept. */
function wholeMessage(bytes: Buffer, maxBytes: number): Buffer | undefined {
  if (bytes.length < PREFIX_BYTES || bytes[0] !== 0) return undefined
  const length = bytes.readUInt32BE(1)
  const end = PREFIX_BYTES + length
  return length <= maxBytes && end <= bytes.length ? bytes.subarray(PREFIX_BYTES, end) : undefined
}
