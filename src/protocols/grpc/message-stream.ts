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
import { cancelled, completedFailure, dropped, malformed, type Peer, PREFIX_BYTES, requestHead, reset } from './unary.ts'

/** Id of the connection's only stream. */
const STREAM = 1
/** Bytes that the server may send before it receives a WINDOW_UPDATE. */
const WINDOW_BYTES = 8 << 20
/** Limits for queued messages, beyond which the connection is not read. */
const MOST_WAITING = 1000
const MOST_WAITING_BYTES = 4 << 20
const TICK_MS = 500

/** A streaming call. */
export interface StreamCall {
  readonly method: string
  /** Metadata by name. Names are in lower case. */
  readonly metadata: Readonly<Record<string, string>>
}

/**
 * A bidirectional stream of messages on a connection of its own. If the reader is slow, the connection is not read, so
 * that the server has to wait. The connection is read in turns of the event loop, and all memory is bounded. A silent
 * server is pinged, and the stream fails if it does not respond.
 */
export class MessageStream implements AsyncIterable<Buffer> {
  readonly #socket: Socket
  readonly #limits: ConnectionLimits
  readonly #sender: RequestSender
  readonly #receiver: FrameReceiver
  readonly #ticking: NodeJS.Timeout
  /** Messages that the reader has not received. */
  #waiting: (Buffer | Promise<Buffer>)[] = []
  #waitingCount = 0
  #waitingBytes = 0
  /** The incomplete message, if one has begun. */
  #partial: ResponseMessage | undefined
  #smallFrames = 0
  #blocks = 0
  /** Received bytes that no WINDOW_UPDATE has been sent for. */
  #received = 0
  #isPaused = false
  #isOver = false
  #failure: CallFailure | undefined
  #wake: () => void = () => {}

  /** @param socket a connected socket, after the TLS handshake if the peer uses TLS. */
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

  /**
   * Sends a message. The stream fails if the server's windows stay full while more than 64 KiB are queued. `isLast`:
   * ends the request, as a call with one message must.
   */
  send(message: Buffer, isLast = false): void {
    if (this.#isOver) return
    this.#receiver.conduct.request()
    if (!this.#sender.sendMore(STREAM, message, isLast)) this.#end(dropped('the server accepts no messages', false))
  }

  /** Closes the stream and its connection. The reader receives a CallFailure with code CANCELLED. */
  close(): void {
    this.#waiting = []
    this.#end(cancelled())
  }

  /**
   * Iterates over the messages of the server, for a single reader. Throws a CallFailure unless the server ends the
   * stream with status OK.
   */
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
    // A server ends its stream with trailers, not with data.
    else if ((frame.flags & Flag.endStream) !== 0) this.#end(malformed())
  }

  #renew(bytes: number): void {
    this.#received += bytes
    if (this.#received < RENEW_AFTER) return
    this.#sender.write(numbersFrame(FrameType.windowUpdate, STREAM, this.#received))
    this.#received = 0
  }

  /** Splits the content of a frame into messages. Returns the failure if a message is invalid. */
  #split(content: Buffer): CallFailure | undefined {
    for (let rest = content; rest.length > 0; ) {
      const whole = this.#partial === undefined ? wholeMessage(rest, this.#limits.maxMessageBytes) : undefined
      if (whole !== undefined) {
        // Copied, so that a small message does not keep the whole chunk in memory.
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
    this.#end(completedFailure(block) ?? (this.#partial === undefined ? undefined : malformed()))
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

/** Returns the first message if the bytes contain all of it. Undefined if it is incomplete or invalid. */
function wholeMessage(bytes: Buffer, maxBytes: number): Buffer | undefined {
  if (bytes.length < PREFIX_BYTES || bytes[0] !== 0) return undefined
  const length = bytes.readUInt32BE(1)
  const end = PREFIX_BYTES + length
  return length <= maxBytes && end <= bytes.length ? bytes.subarray(PREFIX_BYTES, end) : undefined
}
