import type { TLSSocket } from 'node:tls'
import { headBytesOf } from '../../lib/head-bytes.ts'
import type { Steps } from '../../lib/steps.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { faultOfPriority, growthOf, onConnection, onHeaders, onPing, onReset, onSettings, onStream, refusePush } from './frame-checks.ts'
import { FrameLimits } from './frame-limits.ts'
import { Flag, type Frame, FrameType, frameOf, headerFrames, numbersFrame, unpadded } from './frames.ts'
import { type HeaderBlock, HeaderBlocks, OpenHeads, type WholeBlock } from './header-blocks.ts'
import { Intake, LONG_BYTES } from './intake.ts'
import { Lifetime, part } from './lifetime.ts'
import { MAX_DROPPED_BYTES, SMALL_DATA_BYTES } from './limits.ts'
import { OpenStreams } from './open-streams.ts'
import type { Http2Port } from './port.ts'
import { greeting, PrefaceReader } from './preface.ts'
import { ReceiveWindow } from './receive-window.ts'
import { Http2Request } from './request.ts'
import { areTrailers, parseRequestHead } from './request-head.ts'
import { Sender } from './sender.ts'
import { streamWindowOf } from './settings.ts'
import type { Http2Stream, StreamHost } from './stream.ts'

export type Serve = (request: Http2Request, response: Http2Stream) => void

/** Client connection (RFC 9113). Reads frames, passes requests to `serve`, and sends the responses of its streams. */
export class Http2Connection implements StreamHost {
  readonly #socket: TLSSocket
  readonly #serve: Serve
  readonly #port: Http2Port
  readonly #intake: Intake
  readonly #blocks: HeaderBlocks
  readonly #sender: Sender
  readonly #receiving: ReceiveWindow
  readonly #streams: OpenStreams
  readonly #preface = new PrefaceReader()
  readonly #heads = new OpenHeads()
  #settled = false
  #firstBlock = true
  readonly #conduct = new FrameLimits()
  readonly #lifetime: Lifetime
  #leaving = false
  #failed = false
  /** Bytes that arrived after the end. */
  #dropped = 0

  constructor(socket: TLSSocket, serve: Serve, port: Http2Port) {
    const { limits, turns, slabs } = port
    this.#socket = socket
    this.#serve = serve
    this.#port = port
    this.#blocks = new HeaderBlocks(limits.maxHeaderBytes, limits.maxHeaders)
    this.#intake = new Intake(socket, this.#take, read => this.#guard(read), turns)
    this.#lifetime = new Lifetime(limits)
    this.#sender = new Sender(socket, slabs, () => this.#fail(new ConnectionError(ErrorCode.calm, 'the peer does not read its responses')))
    this.#receiving = new ReceiveWindow(limits.connectionWindow, bytes => this.#widen(0, bytes))
    this.#streams = new OpenStreams(this, limits, (id, bytes) => this.#widen(id, bytes))
    this.#sender.send(greeting(limits))
    socket.on('data', (chunk: Buffer) => {
      if (this.#failed) this.#drop(chunk)
      else this.#guard(() => this.#read(chunk))
    })
    socket.on('error', () => {})
    // A half-closed connection counts as closed.
    socket.once('end', () => {
      this.#sender.stop()
      part(this.#socket)
    })
    socket.once('close', () => this.#streams.close())
  }

  /** Number of requests without a complete response. */
  get open(): number {
    return this.#streams.size
  }

  /** Response bytes sent so far. */
  get sentBytes(): number {
    return this.#sender.sentBytes
  }

  /**
   * Bytes that are buffered for the connection: responses that the client has not read, and request data that the
   * server has not read.
   */
  get heldBytes(): number {
    const requestBytes = this.#receiving.unread + this.#blocks.openBytes + this.#intake.heldBytes + this.#heads.heldBytes
    return this.#sender.waitingBytes + this.#streams.queued + requestBytes
  }

  /** Whether the kernel has not accepted the last write yet, or a response waits for its window. */
  get isWaiting(): boolean {
    return this.#sender.isWriting || this.#streams.isWaiting
  }

  /**
   * Ends streams and connections that exceed a time limit. Called about once a second. `now`: milliseconds of a
   * monotonic clock.
   */
  check(now: number): void {
    this.#streams.resetStalled(now)
    const verdict = this.#lifetime.look(now, {
      settled: this.#settled,
      streams: this.#streams.size,
      lastStream: this.#streams.last,
      openBlock: this.#blocks.openStream,
      leaving: this.#leaving,
      writing: this.#sender.isWriting,
      writes: this.#sender.writes,
    })
    if (verdict === 'cut') this.#socket.destroy()
    else if (verdict === 'leave') this.leave()
  }

  /** Sends GOAWAY. Requests in progress are completed, then the connection ends. */
  leave(): void {
    if (this.#leaving || this.#failed) return
    this.#leaving = true
    this.#sender.send(numbersFrame(FrameType.goAway, 0, this.#streams.last, ErrorCode.none))
    this.#endWhenDone()
  }

  #endWhenDone(): void {
    if (!this.#leaving || this.#streams.size > 0) return
    this.#sender.end()
  }

  // ── Reading ──

  #read(chunk: Buffer): void {
    const rest = this.#preface.read(chunk)
    if (rest !== undefined) this.#intake.read(rest)
  }

  /**
   * Discards data after the end. A limited amount is read, so that the client receives GOAWAY before its writes fail.
   */
  #drop(chunk: Buffer): void {
    this.#dropped += chunk.length
    if (this.#dropped > MAX_DROPPED_BYTES) this.#socket.pause()
  }

  #guard(read: () => void): void {
    if (this.#failed) return
    try {
      read()
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error
      this.#fail(error)
    }
  }

  /** Handlers by frame type. Frames of unknown types are ignored (RFC 9113, section 4.1). */
  readonly #handlers: readonly ((frame: Frame) => void)[] = [
    frame => this.#data(frame),
    frame => this.#headers(frame),
    frame => this.#priority(frame),
    frame => this.#reset(frame),
    frame => this.#settings(frame),
    refusePush,
    frame => this.#ping(frame),
    onConnection,
    frame => this.#windowUpdate(frame),
    frame => this.#took(this.#blocks.continue(frame)),
  ]

  readonly #take = (frame: Frame): void => {
    if (this.#failed) return
    const { type } = frame
    if (!this.#settled && type !== FrameType.settings) throw new ConnectionError(ErrorCode.protocol, 'the first frame is not of settings')
    this.#blocks.checkNext(frame)
    const handle = this.#handlers[type]
    if (handle === undefined) this.#idleFrame()
    else handle(frame)
  }

  #data(frame: Frame): void {
    const { stream: id, flags, payload } = frame
    onStream(frame)
    this.#streams.checkBegun(id)
    if (!this.#receiving.receive(payload.length))
      throw new ConnectionError(ErrorCode.flowControl, 'more was sent than the window of the connection holds')
    const data = unpadded(frame)
    const stream = this.#streams.get(id)
    if (stream === undefined || stream.remoteEnded) {
      this.#receiving.take(payload.length)
      this.#idleFrame()
      this.#sender.send(numbersFrame(FrameType.reset, id, ErrorCode.streamClosed))
      stream?.close()
      return
    }
    if (data.length < SMALL_DATA_BYTES && (flags & Flag.endStream) === 0) this.#idleFrame()
    if (!stream.receiving.receive(payload.length)) {
      this.#receiving.take(payload.length)
      this.#blame(stream, ErrorCode.flowControl)
      return
    }
    // Padding counts as read when it arrives.
    this.#takenOf(stream, payload.length - data.length)
    if (!stream.counts(data.length)) {
      this.#receiving.take(data.length)
      this.#blame(stream, ErrorCode.protocol)
      return
    }
    if (data.length > 0) stream.request?.give(data)
    if ((flags & Flag.endStream) !== 0) this.#endOf(stream)
  }

  #endOf(stream: Http2Stream): void {
    if (stream.endsRemote()) stream.request?.push(null)
    else this.#blame(stream, ErrorCode.protocol)
  }

  #headers(frame: Frame): void {
    onHeaders(frame)
    this.#took(this.#blocks.begin(frame))
  }

  #took(whole: WholeBlock | undefined): void {
    if (whole === undefined) return
    if (whole.block.length <= LONG_BYTES) this.#act(this.#blocks.decode(whole))
    else this.#intake.workInSteps(whole.block.length, this.#actInSteps(whole))
  }

  *#actInSteps(whole: WholeBlock): Steps<void> {
    this.#act(yield* this.#blocks.decodeInSteps(whole))
  }

  #act(block: HeaderBlock): void {
    const known = this.#streams.get(block.stream)
    if (known !== undefined) this.#trailers(known, block)
    else this.#begin(block)
    // A refused header block takes time too.
    this.#intake.began()
  }

  #trailers(stream: Http2Stream, { endStream, fields, isMalformed }: HeaderBlock): void {
    if (stream.remoteEnded) throw new ConnectionError(ErrorCode.streamClosed, 'headers come after the end of their stream')
    if (!endStream || isMalformed || !areTrailers(fields)) this.#blame(stream, ErrorCode.protocol)
    else this.#endOf(stream)
  }

  #begin({ stream: id, endStream, fields, tooLarge, isMalformed }: HeaderBlock): void {
    this.#streams.begin(id)
    const isFull = this.#leaving || this.#streams.size >= this.#port.limits.maxConcurrentStreams
    const headBytes = tooLarge ? 0 : headBytesOf(fields)
    if (isFull || isMalformed || !this.#heads.add(headBytes)) {
      this.#refuse(id, isMalformed && !isFull ? ErrorCode.protocol : ErrorCode.refusedStream)
      return
    }
    const head = tooLarge ? undefined : parseRequestHead(fields)
    if (head === undefined && !tooLarge) {
      this.#heads.remove(headBytes)
      this.#refuse(id, ErrorCode.protocol)
      return
    }
    this.#conduct.request()
    const stream = this.#streams.open(id, headBytes, endStream)
    if (head === undefined) {
      stream.bodiless(431, [], 0)
      return
    }
    stream.expect(head.length)
    if (endStream && head.length !== undefined && head.length > 0) {
      this.#blame(stream, ErrorCode.protocol)
      return
    }
    const request = new Http2Request(head, this.#socket, !endStream, bytes => this.#takenOf(stream, bytes))
    stream.request = request
    if (head.headers.expect === '100-continue' && !endStream) this.sendHead(id, 100, [], false)
    this.#serve(request, stream)
  }

  #priority(frame: Frame): void {
    const fault = faultOfPriority(frame)
    if (fault === undefined) this.#idleFrame()
    else this.#refuse(frame.stream, fault)
  }

  /**
   * Resets a stream because of the client's error, whether or not it is open. Too many such errors end the connection.
   */
  #refuse(id: number, code: number): void {
    const stream = this.#streams.get(id)
    if (stream !== undefined) this.#blame(stream, code)
    else {
      this.#conduct.reset()
      this.reset(id, code)
    }
  }

  #blame(stream: Http2Stream, code: number): void {
    if (stream.closed) return
    this.#conduct.reset()
    stream.reset(code)
  }

  /** Counts a frame that causes no request. Data sent to the client allows some. */
  #idleFrame(): void {
    this.#conduct.idleFrame(this.#sender.sentFrames, this.#sender.sentBytes)
  }

  #reset(frame: Frame): void {
    onReset(frame)
    this.#streams.checkBegun(frame.stream)
    const stream = this.#streams.get(frame.stream)
    if (stream === undefined) this.#idleFrame()
    else {
      this.#conduct.reset()
      stream.close()
    }
  }

  #settings(frame: Frame): void {
    const isAck = onSettings(frame)
    this.#settled = true
    this.#idleFrame()
    if (isAck) return
    const window = streamWindowOf(frame)
    if (window !== undefined) {
      this.#streams.setWindow(window)
      // There can be a thousand streams, and as many SETTINGS frames in one read.
      this.#intake.worked()
    }
    this.#sender.send(frameOf(FrameType.settings, Flag.ack, 0, Buffer.alloc(0)))
  }

  #ping(frame: Frame): void {
    onPing(frame)
    this.#idleFrame()
    if ((frame.flags & Flag.ack) === 0) this.#sender.send(frameOf(FrameType.ping, Flag.ack, 0, frame.payload))
  }

  #windowUpdate(frame: Frame): void {
    const bytes = growthOf(frame)
    this.#idleFrame()
    if (frame.stream === 0) {
      this.#sender.widen(bytes)
      return
    }
    this.#streams.checkBegun(frame.stream)
    const stream = this.#streams.get(frame.stream)
    if (stream === undefined) return
    if (bytes === 0) this.#blame(stream, ErrorCode.protocol)
    else if (!stream.widen(bytes)) this.#blame(stream, ErrorCode.flowControl)
  }

  #takenOf(stream: Http2Stream, bytes: number): void {
    this.#receiving.take(bytes)
    stream.receiving.take(bytes)
  }

  /** Sends WINDOW_UPDATE. Stream 0 is the connection. */
  #widen(id: number, bytes: number): void {
    const useful = id === 0 ? !this.#failed : this.#streams.get(id)?.remoteEnded === false
    if (useful) this.#sender.send(numbersFrame(FrameType.windowUpdate, id, bytes))
  }

  #fail({ code }: ConnectionError): void {
    if (this.#failed) return
    this.#failed = true
    this.#sender.stop()
    part(this.#socket, [numbersFrame(FrameType.goAway, 0, this.#streams.last, code)])
    this.#streams.close()
  }

  // ── StreamHost ──

  sendHead(stream: number, status: number, headers: string[], end: boolean): void {
    const block = this.#port.encoder.answer(status, headers, this.#firstBlock)
    this.#firstBlock = false
    this.#sender.send(headerFrames(block, stream, end))
  }

  serve(stream: Http2Stream): void {
    this.#sender.serve(stream)
  }

  reset(stream: number, code: number): void {
    if (!this.#failed) this.#sender.send(numbersFrame(FrameType.reset, stream, code))
  }

  gone(stream: Http2Stream): void {
    this.#streams.remove(stream.id)
    this.#heads.remove(stream.headBytes)
    this.#endWhenDone()
  }
}
