import type { Socket } from 'node:net'
import { paceReads } from '../../lib/paced-socket.ts'
import { startInTurns } from '../../lib/steps.ts'
import { Conduct } from '../http2/conduct.ts'
import { ConnectionError, ErrorCode } from '../http2/errors.ts'
import {
  Flag,
  type Frame,
  FrameReader,
  FrameType,
  fragmentOf,
  frameOf,
  INITIAL_WINDOW,
  MAX_31_BITS,
  numbersFrame,
  PREFACE,
  readSettings,
  Setting,
  settingsFrame,
  unpadded,
} from '../http2/frames.ts'
import { MAX_SETTINGS } from '../http2/limits.ts'
import type { CallFailure } from './call-failure.ts'
import { RequestSender } from './request-sender.ts'
import { ResponseMessage } from './response-message.ts'
import { cancelled, dropped, failureOf, late, malformed, type Peer, requestHead, reset } from './unary.ts'

const LONGEST_HEADERS = 64 * 1024
/** Frames of one block of headers: each is joined to those before. */
const MOST_CONTINUATIONS = 16
/** Blocks of headers of one response that need no reason: those before the message, and those behind it. */
const ORDINARY_BLOCKS = 2
/** Frames of data of one response that may be shorter than a kilobyte. */
const MOST_SMALL_FRAMES = 65_536
const SMALL_FRAME_BYTES = 1024
/** Bytes that are read in one piece: some thousand frames at most. */
const PIECE_BYTES = 32 * 1024
/** Received bytes are reported to the other side once there are so many. */
const RENEW_AFTER = 1 << 20
/** How often calls are looked through for those that are late or given up. */
const TICK_MS = 50
const PING_DATA = Buffer.from('keep up!')

/** What a connection takes of its server. */
export interface UnaryLimits {
  /** Bytes of a message. Default: 256 MiB. */
  readonly maxMessageBytes: number
  /** Calls wait and nothing comes for `quietMs`: the server is asked for a sign of life, and has `signMs` for it. gRPC's servers take no questions closer than 5 s. Default: 6 s and 3 s. */
  readonly quietMs: number
  readonly signMs: number
}

const LIMITS: UnaryLimits = { maxMessageBytes: 256 << 20, quietMs: 6000, signMs: 3000 }

export interface UnaryOptions {
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly deadline: number
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
  /** The block of the latest headers. */
  headers: Buffer
}

const NO_HEADERS = Buffer.alloc(0)

/**
 * A connection to one server, for unary calls alone: gRPC over HTTP/2 written straight to the socket. Before it is open, and when it is about to end, `call` declines. Such a call costs an eighth of
 * one through `node:http2` and a gRPC client. Whatever the server sends, it is read at the pace of turns and kept within bounds.
 */
export class UnaryConnection {
  readonly #socket: Socket
  readonly #peer: Peer
  readonly #limits: UnaryLimits
  readonly #sender: RequestSender
  readonly #heads = new Map<string, Buffer>()
  readonly #reader = new FrameReader()
  /** Frames that serve no call are counted. */
  readonly #conduct = new Conduct()
  /** Calls that have been sent, by the id of their stream. */
  readonly #sent = new Map<number, Call>()
  /** Calls for which there was no window, or no stream, in their order. */
  #waiting: Call[] = []
  #state: UnaryConnection['state'] = 'opening'
  #broken = false
  #nextStream = 1
  #mostCalls = Number.POSITIVE_INFINITY
  #received = 0
  /** Headers whose end has not come. */
  #open: { readonly stream: number; readonly flags: number; block: Buffer; frames: number } | undefined
  #ticking: NodeJS.Timeout | undefined
  #heard = 0
  #asked = 0
  #opened: () => void = () => {}
  /** Resolves when the connection is open, or over before that. */
  readonly opened = new Promise<void>(resolve => {
    this.#opened = resolve
  })

  /** `socket` is connected, with TLS where that is wanted; a timeout that it has holds until the connection is open. */
  constructor(socket: Socket, peer: Peer, limits: Partial<UnaryLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
    this.#socket = socket
    this.#peer = peer
    this.#sender = new RequestSender(socket)
    socket.setNoDelay(true)
    paceReads(socket, { pieceBytes: PIECE_BYTES })
    socket.on('data', bytes => this.#read(bytes))
    socket.on('error', () => {})
    socket.on('close', () => this.#end('Connection dropped'))
    const settings = settingsFrame([
      [Setting.headerTableSize, 0],
      [Setting.enablePush, 0],
      [Setting.initialWindowSize, MAX_31_BITS],
    ])
    socket.write(Buffer.concat([PREFACE, settings, numbersFrame(FrameType.windowUpdate, 0, MAX_31_BITS - INITIAL_WINDOW)]))
  }

  /** Opening: the server has not answered yet. Ending: calls under way go on, and there will be no others. */
  get state(): 'opening' | 'open' | 'ending' | 'closed' {
    return this.#state
  }

  /** The server sent what this client can't read: another connection to it would fail in the same way. */
  get isBroken(): boolean {
    return this.#broken
  }

  /** Sends a request and resolves to the message of its response, or rejects with a CallFailure. Undefined if the connection is not open. */
  call(method: string, request: Buffer, { deadline, signal }: UnaryOptions): Promise<Buffer> | undefined {
    if (this.#state !== 'open') return undefined
    return new Promise((resolve, reject) => {
      const message = new ResponseMessage(this.#limits.maxMessageBytes)
      const call = { head: this.#headOf(method), request, deadline, signal, resolve, reject, message, smallFrames: 0, blocks: 0, headers: NO_HEADERS }
      if (this.#waiting.length === 0 && this.#hasRoom(call)) this.#send(call)
      else this.#waiting.push(call)
      if (this.#ticking !== undefined) return
      this.#heard = performance.now()
      this.#ticking = setInterval(() => this.#tick(), TICK_MS).unref()
    })
  }

  /** Ends it; calls under way fail. */
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
    // The ids are used up.
    if (this.#nextStream > MAX_31_BITS) this.#state = 'ending'
    this.#sent.set(stream, call)
    this.#conduct.request()
    this.#conduct.body(call.request.length)
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
    this.#heard = performance.now()
    this.#asked = 0
    try {
      this.#reader.read(bytes, this.#take)
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error
      this.#broken = true
      this.#end(error.message)
    }
  }

  readonly #take = (frame: Frame): void => {
    const { type, flags, stream, payload } = frame
    if (this.#state === 'closed') return
    if (this.#open !== undefined && type !== FrameType.continuation) throw new ConnectionError(ErrorCode.protocol, 'headers without an end')
    switch (type) {
      case FrameType.data:
        this.#data(frame)
        break
      case FrameType.headers:
        this.#headers(flags, stream, fragmentOf(frame))
        break
      case FrameType.continuation:
        this.#continuation(flags, stream, payload)
        break
      case FrameType.reset:
        if (!this.#sent.has(stream)) this.#idleFrame()
        this.#fail(stream, reset(numberIn(payload)))
        break
      case FrameType.settings:
        this.#idleFrame()
        if ((flags & Flag.ack) === 0) this.#settings(frame)
        break
      case FrameType.ping:
        this.#idleFrame()
        if ((flags & Flag.ack) === 0) this.#sender.acknowledge(frameOf(FrameType.ping, Flag.ack, 0, payload))
        break
      case FrameType.goAway:
        this.#idleFrame()
        this.#goAway(numberIn(payload) & MAX_31_BITS)
        break
      case FrameType.windowUpdate:
        this.#idleFrame()
        this.#sender.widen(stream, numberIn(payload) & MAX_31_BITS)
        if (stream === 0) this.#sendWaiting()
        break
      case FrameType.push:
        throw new ConnectionError(ErrorCode.protocol, 'a push that was not allowed')
      default:
        // What is not known is passed over.
        this.#idleFrame()
    }
  }

  #idleFrame(): void {
    this.#conduct.idleFrame(0, 0)
  }

  #data(frame: Frame): void {
    const { flags, stream, payload } = frame
    this.#received += payload.length
    if (this.#received >= RENEW_AFTER) {
      this.#sender.write(numbersFrame(FrameType.windowUpdate, 0, this.#received))
      this.#received = 0
    }
    const call = this.#sent.get(stream)
    if (call === undefined) {
      this.#idleFrame()
      return
    }
    if (payload.length < SMALL_FRAME_BYTES && ++call.smallFrames > MOST_SMALL_FRAMES)
      throw new ConnectionError(ErrorCode.protocol, 'a message is in too many frames')
    this.#conduct.body(payload.length)
    const failure = call.message.add(unpadded(frame))
    if (failure !== undefined) this.#giveUp(stream, failure)
    else if ((flags & Flag.endStream) !== 0) this.#finish(stream, call)
  }

  #headers(flags: number, stream: number, block: Buffer): void {
    if ((flags & Flag.endHeaders) === 0) {
      this.#open = { stream, flags, block, frames: 0 }
      return
    }
    const call = this.#sent.get(stream)
    if (call === undefined || ++call.blocks > ORDINARY_BLOCKS) this.#idleFrame()
    if (call === undefined) return
    call.headers = block
    if ((flags & Flag.endStream) !== 0) this.#finish(stream, call)
  }

  #continuation(flags: number, stream: number, payload: Buffer): void {
    const open = this.#open
    if (open === undefined || open.stream !== stream) throw new ConnectionError(ErrorCode.protocol, 'a continuation of nothing')
    if (open.block.length + payload.length > LONGEST_HEADERS || ++open.frames > MOST_CONTINUATIONS)
      throw new ConnectionError(ErrorCode.protocol, 'headers are too long')
    open.block = Buffer.concat([open.block, payload])
    if ((flags & Flag.endHeaders) === 0) return
    this.#open = undefined
    this.#headers(open.flags | Flag.endHeaders, stream, open.block)
  }

  #finish(stream: number, call: Call): void {
    const failure = failureOf(call.headers) ?? (call.message.isComplete ? undefined : malformed())
    // The server wants no more of a request that it has answered.
    if (this.#sender.forget(stream)) this.#sender.write(numbersFrame(FrameType.reset, stream, ErrorCode.none))
    this.#forget(stream)
    if (failure !== undefined) call.reject(failure)
    else call.resolve(startInTurns(call.message.inSteps()))
  }

  /** Ends a call that this side wants nothing more of. */
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

  #settings(frame: Frame): void {
    const settings = readSettings(frame)
    if (settings.length > MAX_SETTINGS) throw new ConnectionError(ErrorCode.calm, 'there are too many settings')
    // Some servers hold to the new windows only once they are acknowledged.
    this.#sender.write(frameOf(FrameType.settings, Flag.ack, 0, Buffer.alloc(0)))
    for (const [id, value] of settings) {
      if (id === Setting.initialWindowSize) this.#sender.resizeStreams(value)
      else if (id === Setting.maxConcurrentStreams) this.#mostCalls = value
    }
    if (this.#state === 'opening') {
      this.#state = 'open'
      this.#socket.setTimeout(0)
      this.#opened()
    }
    this.#sendWaiting()
  }

  /** The server takes no more calls; those after the last one that it names were not begun. */
  #goAway(last: number): void {
    this.#state = 'ending'
    const waiting = this.#waiting
    this.#waiting = []
    for (const call of waiting) call.reject(dropped('the server goes away', true))
    for (const stream of [...this.#sent.keys()]) if (stream > last) this.#fail(stream, dropped('the server goes away', true))
    if (this.#sent.size === 0) this.#end('the server goes away')
  }

  /** Ends the calls that are late or given up, and the connection where it is silent. */
  #tick(): void {
    const now = Date.now()
    const verdict = ({ deadline, signal }: Call): CallFailure | undefined => (signal.aborted ? cancelled() : now >= deadline ? late() : undefined)
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
    this.#listen()
  }

  #listen(): void {
    const now = performance.now()
    if (this.#asked > 0) {
      if (now - this.#asked > this.#limits.signMs) this.#end('the server is silent')
    } else if (now - this.#heard > this.#limits.quietMs) {
      this.#asked = now
      this.#sender.write(frameOf(FrameType.ping, 0, 0, PING_DATA))
    }
  }

  #end(why: string): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    clearInterval(this.#ticking)
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

/** Ends the call where there is a verdict. */
function stays(call: Call, failure: CallFailure | undefined): boolean {
  if (failure !== undefined) call.reject(failure)
  return failure === undefined
}

/** The number that a payload begins with. */
function numberIn(payload: Buffer): number {
  if (payload.length < 4) throw new ConnectionError(ErrorCode.protocol, 'a frame is too short')
  return payload.readUInt32BE()
}
