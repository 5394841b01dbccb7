import type { Socket } from 'node:net'
import { paceReads } from '../../lib/paced-socket.ts'
import { startInTurns } from '../../lib/steps.ts'
import { ConnectionError, ErrorCode } from '../http2/errors.ts'
import { Flag, type Frame, FrameType, MAX_31_BITS, numbersFrame, unpadded } from '../http2/frames.ts'
import type { CallFailure } from './call-failure.ts'
import { FrameReceiver } from './frame-receiver.ts'
import { type ConnectionLimits, countSmallFrames, DEFAULT_LIMITS, ORDINARY_BLOCKS, PIECE_BYTES } from './limits.ts'
import { RequestSender } from './request-sender.ts'
import { type MessageBlocks, ResponseMessage } from './response-message.ts'
import { cancelled, completedFailure, dropped, late, malformed, type Peer, requestHead, reset } from './unary.ts'

/** Interval at which expired and aborted calls are ended. */
const TICK_MS = 50

export interface UnaryOptions {
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly deadline: number
  /** Optional. Provides the memory of a long response. */
  readonly memory?: MessageBlocks
}

interface Call {
  readonly head: Buffer
  readonly request: Buffer
  readonly deadline: number
  readonly signal: AbortSignal
  readonly resolve: (message: Buffer | Promise<Buffer>) => void
  readonly reject: (failure: CallFailure) => void
  readonly message: ResponseMessage
  smallFrames: number
  blocks: number
  /** The last header block. */
  headers: Buffer
}

const NO_HEADERS = Buffer.alloc(0)

/**
 * A connection to one server for unary calls, which writes gRPC over HTTP/2 directly to the socket. A call costs an
 * eighth of one through `node:http2` and a gRPC client. The connection is read in turns of the event loop, and all
 * memory is bounded. `call` returns undefined before the connection is open and after it begins to close.
 */
export class UnaryConnection {
  readonly #socket: Socket
  readonly #peer: Peer
  readonly #limits: ConnectionLimits
  readonly #sender: RequestSender
  readonly #heads = new Map<string, Buffer>()
  readonly #receiver: FrameReceiver
  /** Calls that have been sent, by stream id. */
  readonly #sent = new Map<number, Call>()
  /** Calls that wait for a window or a stream, in order. */
  #waiting: Call[] = []
  #state: UnaryConnection['state'] = 'opening'
  #broken = false
  #nextStream = 1
  #mostCalls = Number.POSITIVE_INFINITY
  #ticking: NodeJS.Timeout | undefined
  #opened: () => void = () => {}
  /** Resolves when the connection is open or has failed. */
  readonly opened = new Promise<void>(resolve => {
    this.#opened = resolve
  })

  /**
   * @param socket a connected socket, after the TLS handshake if the peer uses TLS. Its timeout applies until the
   * connection is open.
   */
  constructor(socket: Socket, peer: Peer, limits: Partial<ConnectionLimits> = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
    this.#socket = socket
    this.#peer = peer
    this.#sender = new RequestSender(socket)
    this.#receiver = new FrameReceiver(this.#sender, {
      data: frame => this.#data(frame),
      headers: (flags, stream, block) => this.#headers(flags, stream, block),
      reset: (stream, code) => this.#reset(stream, code),
      goAway: last => this.#goAway(last),
      settings: mostStreams => this.#settings(mostStreams),
      widened: () => this.#sendWaiting(),
    })
    socket.setNoDelay(true)
    paceReads(socket, { pieceBytes: PIECE_BYTES })
    socket.on('data', bytes => this.#read(bytes))
    socket.on('error', () => {})
    socket.on('close', () => this.#end('Connection dropped'))
    this.#sender.open(MAX_31_BITS)
  }

  /**
   * `opening` until the server's first settings, `ending` after GOAWAY: calls in progress continue, new ones are not
   * accepted.
   */
  get state(): 'opening' | 'open' | 'ending' | 'closed' {
    return this.#state
  }

  /** Whether the server violated the protocol, so that another connection would probably fail too. */
  get isBroken(): boolean {
    return this.#broken
  }

  /**
   * Sends a request and resolves to the response message, or rejects with a CallFailure. Returns undefined if the
   * connection is not open.
   */
  call(method: string, request: Buffer, { deadline, signal, memory }: UnaryOptions): Promise<Buffer> | undefined {
    if (this.#state !== 'open') return undefined
    return new Promise((resolve, reject) => {
      const message = new ResponseMessage(this.#limits.maxMessageBytes, memory)
      const call = {
        head: this.#headOf(method),
        request,
        deadline,
        signal,
        resolve,
        reject,
        message,
        smallFrames: 0,
        blocks: 0,
        headers: NO_HEADERS,
      }
      if (this.#waiting.length === 0 && this.#hasRoom(call)) this.#send(call)
      else this.#waiting.push(call)
      if (this.#ticking !== undefined) return
      this.#receiver.wait()
      this.#ticking = setInterval(() => this.#tick(), TICK_MS).unref()
    })
  }

  /** Closes the connection. Calls in progress fail. */
  close(): void {
    this.#end('the connection is closed')
  }

  #headOf(method: string): Buffer {
    let head = this.#heads.get(method)
    if (head === undefined) {
      head = requestHead(method, this.#peer)
      this.#heads.set(method, head)
    }
    return head
  }

  #hasRoom({ request }: Call): boolean {
    return this.#sender.hasRoomFor(request) && this.#sent.size < this.#mostCalls
  }

  #send(call: Call): void {
    const stream = this.#nextStream
    this.#nextStream += 2
    // All stream ids are used.
    if (this.#nextStream > MAX_31_BITS) this.#state = 'ending'
    this.#sent.set(stream, call)
    this.#receiver.conduct.request()
    this.#receiver.conduct.body(call.request.length)
    this.#sender.send(stream, call.head, call.deadline - Date.now(), call.request)
  }

  #sendWaiting(): void {
    for (let [call] = this.#waiting; call !== undefined && this.#state === 'open' && this.#hasRoom(call); [call] = this.#waiting) {
      this.#waiting.shift()
      this.#send(call)
    }
  }

  #read(bytes: Buffer): void {
    if (this.#state === 'closed') return
    try {
      this.#receiver.read(bytes)
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error
      this.#broken = true
      this.#end(error.message)
    }
  }

  #data(frame: Frame): void {
    const { flags, stream, payload } = frame
    const call = this.#sent.get(stream)
    if (call === undefined) {
      this.#receiver.idleFrame()
      return
    }
    call.smallFrames = countSmallFrames(call.smallFrames, payload.length)
    this.#receiver.conduct.body(payload.length)
    const failure = call.message.add(unpadded(frame))
    if (failure !== undefined) this.#giveUp(stream, failure)
    else if ((flags & Flag.endStream) !== 0) this.#finish(stream, call)
  }

  #headers(flags: number, stream: number, block: Buffer): void {
    const call = this.#sent.get(stream)
    if (call === undefined || ++call.blocks > ORDINARY_BLOCKS) this.#receiver.idleFrame()
    if (call === undefined) return
    call.headers = block
    if ((flags & Flag.endStream) !== 0) this.#finish(stream, call)
  }

  #reset(stream: number, code: number): void {
    if (!this.#sent.has(stream)) this.#receiver.idleFrame()
    this.#fail(stream, reset(code))
  }

  #finish(stream: number, call: Call): void {
    const failure = completedFailure(call.headers) ?? (call.message.isComplete ? undefined : malformed())
    // The server has responded before the end of the request, and needs no more of it.
    if (this.#sender.forget(stream)) this.#sender.write(numbersFrame(FrameType.reset, stream, ErrorCode.none))
    this.#forget(stream)
    if (failure !== undefined) call.reject(failure)
    else call.resolve(startInTurns(call.message.inSteps()))
  }

  /** Cancels a call. */
  #giveUp(stream: number, failure: CallFailure): void {
    this.#sender.write(numbersFrame(FrameType.reset, stream, ErrorCode.cancel))
    this.#fail(stream, failure)
  }

  #fail(stream: number, failure: CallFailure): void {
    const call = this.#sent.get(stream)
    this.#sender.forget(stream)
    this.#forget(stream)
    call?.reject(failure)
  }

  #forget(stream: number): void {
    this.#sent.delete(stream)
    if (this.#state === 'ending' && this.#sent.size === 0) this.#end('the connection has ended')
    else if (this.#waiting.length > 0) this.#sendWaiting()
  }

  #settings(mostStreams: number | undefined): void {
    if (mostStreams !== undefined) this.#mostCalls = mostStreams
    if (this.#state === 'opening') {
      this.#state = 'open'
      this.#socket.setTimeout(0)
      this.#opened()
    }
    this.#sendWaiting()
  }

  /** Handles GOAWAY. Calls after the last stream that the server names were not begun. */
  #goAway(last: number): void {
    this.#state = 'ending'
    const waiting = this.#waiting
    this.#waiting = []
    for (const call of waiting) call.reject(dropped('the server goes away', true))
    for (const stream of [...this.#sent.keys()]) if (stream > last) this.#fail(stream, dropped('the server goes away', true))
    if (this.#sent.size === 0) this.#end('the server goes away')
  }

  /** Ends expired and aborted calls, and the connection if the server is silent. */
  #tick(): void {
    const now = Date.now()
    const verdict = ({ deadline, signal }: Call): CallFailure | undefined =>
      signal.aborted ? cancelled() : now >= deadline ? late() : undefined
    for (const [stream, call] of [...this.#sent]) {
      const failure = verdict(call)
      if (failure !== undefined) this.#giveUp(stream, failure)
    }
    if (this.#waiting.length > 0) this.#waiting = this.#waiting.filter(call => stays(call, verdict(call)))
    if (this.#sent.size === 0 && this.#waiting.length === 0) {
      clearInterval(this.#ticking)
      this.#ticking = undefined
      return
    }
    if (this.#receiver.isSilent(this.#limits)) this.#end('the server is silent')
  }

  #end(why: string): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    clearInterval(this.#ticking)
    this.#receiver.end()
    this.#socket.destroy()
    this.#opened()
    const sent = [...this.#sent.values()]
    const waiting = this.#waiting
    this.#sent.clear()
    this.#waiting = []
    for (const call of sent) call.reject(dropped(why, false))
    for (const call of waiting) call.reject(dropped(why, true))
  }
}

/** Rejects the call if there is a failure. Returns whether the call continues. */
function stays(call: Call, failure: CallFailure | undefined): boolean {
  if (failure !== undefined) call.reject(failure)
  return failure === undefined
}
