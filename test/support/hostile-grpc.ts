import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { Flag, FrameType, frameOf, numbersFrame, PREFACE, Setting, settingsFrame } from '../../src/protocols/http2/frames.ts'

/** Behaviour of a gRPC server on a connection once it has read the head of a call on a stream. */
export type GrpcBehaviour = (socket: Socket, stream: number) => void

/** More is never sent on one connection: a behaviour that is not ended fails its test by then. */
const MOST_BYTES = 64 << 20
const BLOCK_BYTES = 64 * 1024

const NOTHING = Buffer.alloc(0)
/** `:status: 200`, as HPACK has it. */
const OK_STATUS = Buffer.from([0x88])

/** A field as a literal without an index, which is not kept in a table. */
const literal = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), integer(value.length), Buffer.from(value)])

/** With a prefix of seven bits. */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value])
  const bytes = [127]
  let rest = value - 127
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128)
  return Buffer.from([...bytes, rest])
}

const headers = (stream: number, block: Buffer, flags: number = Flag.endHeaders): Buffer => frameOf(FrameType.headers, flags, stream, block)
const data = (stream: number, payload: Buffer, flags: number = Flag.none): Buffer => frameOf(FrameType.data, flags, stream, payload)
const begun = (stream: number): Buffer => headers(stream, OK_STATUS)
const SUCCESS = literal('grpc-status', '0')
const trailers = (stream: number, block: Buffer = SUCCESS): Buffer => headers(stream, block, Flag.endHeaders | Flag.endStream)

function prefixed(message: Buffer, length = message.length): Buffer {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(length, 1)
  return Buffer.concat([prefix, message])
}

/** Sends frames. */
const sending =
  (...frames: ((stream: number) => Buffer)[]): GrpcBehaviour =>
  (socket, stream) =>
    void socket.write(Buffer.concat(frames.map(frame => frame(stream))))

/** Sends frames, and then others again and again, as fast as they are read, until the connection is closed. */
const endlessly =
  (first: (stream: number) => Buffer, again: (stream: number) => Buffer): GrpcBehaviour =>
  (socket, stream) => {
    const one = again(stream)
    const block = Buffer.concat(Array<Buffer>(Math.max(1, Math.floor(BLOCK_BYTES / one.length))).fill(one))
    const more = (): void => {
      while (!socket.destroyed && socket.bytesWritten < MOST_BYTES) {
        if (socket.write(block)) continue
        socket.once('drain', more)
        return
      }
    }
    socket.write(first(stream))
    more()
  }

const nothing = (): Buffer => NOTHING
const always = (frame: Buffer) => (): Buffer => frame

/** A block of trailers in a frame of headers and its continuations. */
function inContinuations(stream: number, block: Buffer): Buffer {
  const frames: Buffer[] = []
  for (let at = 0; at < block.length; at += 16_384) {
    const flags = at + 16_384 >= block.length ? Flag.endHeaders : Flag.none
    const part = block.subarray(at, at + 16_384)
    frames.push(at === 0 ? headers(stream, part, flags | Flag.endStream) : frameOf(FrameType.continuation, flags, stream, part))
  }
  return Buffer.concat(frames)
}

/** Whatever is done in HTTP/2 and gRPC: each ends the call with an error at once, whenever its deadline is. */
export const HOSTILE_GRPC: Readonly<Record<string, GrpcBehaviour>> = {
  'header blocks without end': endlessly(nothing, begun),
  'a header block in endless frames': endlessly(
    stream => headers(stream, OK_STATUS, Flag.none),
    stream => frameOf(FrameType.continuation, Flag.none, stream, Buffer.alloc(1000, 0x88)),
  ),
  'endless empty continuations': endlessly(
    stream => headers(stream, OK_STATUS, Flag.none),
    stream => frameOf(FrameType.continuation, Flag.none, stream, NOTHING),
  ),
  'continuations of no headers': endlessly(nothing, stream => frameOf(FrameType.continuation, Flag.none, stream, OK_STATUS)),
  'trailers of very many fields': sending(begun, stream => inContinuations(stream, Buffer.alloc(64_000, 0x90))),
  'trailers that refer to a table': sending(begun, stream =>
    trailers(stream, Buffer.concat([Buffer.from([0x40, 1, 0x61]), integer(4000), Buffer.alloc(4000, 'v'), Buffer.alloc(10_000, 0xbe)])),
  ),
  'trailers of one long value': sending(begun, stream => inContinuations(stream, literal('grpc-message', 'x'.repeat(65_000)))),
  'trailers of one long value in the Huffman code': sending(begun, stream =>
    inContinuations(stream, Buffer.concat([Buffer.from([0, 1, 0x61, 0xff]), integer(65_000).subarray(1), Buffer.alloc(65_000, 0)])),
  ),
  'trailers with a number that goes on': sending(begun, stream => trailers(stream, Buffer.alloc(10_000, 0xff))),
  'trailers that change the table very often': sending(begun, stream => trailers(stream, Buffer.alloc(16_000, 0x20))),
  'trailers without a status': sending(
    begun,
    stream => data(stream, prefixed(NOTHING)),
    stream => trailers(stream, literal('a', 'b')),
  ),
  'a status that is not a number': sending(
    begun,
    stream => data(stream, prefixed(NOTHING)),
    stream => trailers(stream, literal('grpc-status', '0x0')),
  ),
  'a status of many digits': sending(begun, stream => trailers(stream, literal('grpc-status', '9'.repeat(10_000)))),
  'a reason that is badly encoded': sending(stream =>
    trailers(stream, Buffer.concat([OK_STATUS, literal('grpc-status', '2'), literal('grpc-message', '%'.repeat(15_000))])),
  ),
  'an HTTP status of failure': sending(stream => trailers(stream, Buffer.from([0x8e]))),
  'no message': sending(begun, trailers),
  'half a message': sending(begun, stream => data(stream, prefixed(Buffer.alloc(10), 20)), trailers),
  'two messages': sending(begun, stream => data(stream, Buffer.concat([prefixed(NOTHING), prefixed(NOTHING)])), trailers),
  'a compressed message': sending(begun, stream => data(stream, Buffer.from([1, 0, 0, 0, 1, 0])), trailers),
  'a message of four gigabytes': endlessly(
    stream => Buffer.concat([begun(stream), data(stream, prefixed(NOTHING, 0xffff_ffff))]),
    stream => data(stream, Buffer.alloc(16_384)),
  ),
  'more data than the message has': endlessly(
    stream => Buffer.concat([begun(stream), data(stream, prefixed(NOTHING, 100_000))]),
    stream => data(stream, Buffer.alloc(16_384)),
  ),
  'data in frames of one byte': endlessly(
    stream => Buffer.concat([begun(stream), data(stream, prefixed(NOTHING, 100_000))]),
    stream => data(stream, Buffer.alloc(1)),
  ),
  'empty frames of data': endlessly(begun, stream => data(stream, NOTHING)),
  'frames of padding': endlessly(begun, stream => data(stream, Buffer.concat([Buffer.from([255]), Buffer.alloc(255)]), Flag.padded)),
  'more padding than a frame': sending(begun, stream => data(stream, Buffer.from([9, 0]), Flag.padded)),
  'data of streams that nobody opened': endlessly(nothing, always(data(99, Buffer.alloc(1000)))),
  'headers of streams that nobody opened': endlessly(nothing, always(headers(99, OK_STATUS))),
  'resets of streams that nobody opened': endlessly(nothing, always(numbersFrame(FrameType.reset, 99, 8))),
  'settings without end': endlessly(nothing, always(settingsFrame([[Setting.maxConcurrentStreams, 1]]))),
  'acknowledgements of settings': endlessly(nothing, always(frameOf(FrameType.settings, Flag.ack, 0, NOTHING))),
  'very many settings in a frame': endlessly(nothing, always(settingsFrame(Array.from({ length: 2700 }, (_, i) => [i, i] as const)))),
  'windows that change without end': endlessly(
    nothing,
    always(Buffer.concat([settingsFrame([[Setting.initialWindowSize, 0]]), settingsFrame([[Setting.initialWindowSize, 0x7fff_ffff]])])),
  ),
  'a window that is too large': sending(always(settingsFrame([[Setting.initialWindowSize, 0xffff_ffff]]))),
  'windows that grow without end': endlessly(nothing, stream =>
    Buffer.concat([numbersFrame(FrameType.windowUpdate, 0, 1), numbersFrame(FrameType.windowUpdate, stream, 1)]),
  ),
  'a window that grows too far': sending(always(numbersFrame(FrameType.windowUpdate, 0, 0x7fff_ffff))),
  'pings without end': endlessly(nothing, always(frameOf(FrameType.ping, Flag.none, 0, Buffer.alloc(8)))),
  'answers to pings that nobody sent': endlessly(nothing, always(frameOf(FrameType.ping, Flag.ack, 0, Buffer.alloc(8)))),
  'priorities without end': endlessly(nothing, stream => frameOf(FrameType.priority, Flag.none, stream, Buffer.alloc(5))),
  'frames of unknown types': endlessly(nothing, always(frameOf(99, Flag.none, 0, NOTHING))),
  'farewells without end': endlessly(nothing, always(numbersFrame(FrameType.goAway, 0, 0x7fff_ffff, 0))),
  'a push': sending(stream => frameOf(FrameType.push, Flag.endHeaders, stream, Buffer.concat([Buffer.from([0, 0, 0, 2]), OK_STATUS]))),
  'a frame of 16 megabytes': sending(always(Buffer.from('ffffff000000000001', 'hex'))),
  'a reset': sending(stream => numbersFrame(FrameType.reset, stream, 2)),
  'another protocol': sending(always(Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'))),
  'nothing before its end': socket => void socket.end(),
  'a connection that is cut': socket => void socket.destroy(),
}

/** Behaviours that last until the call is late. */
export const SILENT_GRPC: Readonly<Record<string, GrpcBehaviour>> = {
  'no answer': () => {},
  'half a frame': sending(stream => begun(stream).subarray(0, 4)),
  'a message without trailers': sending(begun, stream => data(stream, prefixed(NOTHING))),
  'a byte now and then': (socket, stream) => {
    socket.write(Buffer.concat([begun(stream), data(stream, prefixed(NOTHING, 1000))]))
    const timer = setInterval(() => socket.write(data(stream, Buffer.alloc(1))), 20)
    socket.once('close', () => clearInterval(timer))
  },
}

/** Refuses each call, as one that it has not begun. */
export const refusing: GrpcBehaviour = sending(stream => numbersFrame(FrameType.reset, stream, 7))

const many = (bytes: string, length: number): Buffer => Buffer.from(bytes.repeat(Math.floor((2 * length) / bytes.length)), 'hex')

/** Values of a map, with different names. */
const entries = (count: number): Buffer =>
  Buffer.concat(
    Array.from({ length: count }, (_, i) => Buffer.concat([Buffer.from('1a060a04', 'hex'), Buffer.from(i.toString(36).padStart(4, 'a'))])),
  )

/** Messages that are hard to read: well within the bounds of bytes, and mostly no messages of protocol buffers. */
export const HOSTILE_MESSAGES: Readonly<Record<string, Buffer>> = {
  'no field': NOTHING,
  'a field that breaks off': Buffer.from('0aff', 'hex'),
  'a field of two gigabytes': Buffer.from('0affffffff07', 'hex'),
  'a number that goes on': many('ff', 100_000),
  'very many empty fields': many('0a00', 120_000),
  'very many empty entries': many('1a00', 120_000),
  'more entries than are read': entries(12_000),
  'as many entries as are read': entries(1024),
  'very many numbers': many('1801', 120_000),
  'groups in groups': many('0b', 120_000),
  'a group without an end': many('0b08', 120_000),
  'bytes that are no UTF-8': Buffer.concat([Buffer.from('0a80e007', 'hex'), Buffer.alloc(0x1f000, 0xff)]),
  'unknown wire types': many('0e', 1000),
}

/** Responds to each call with a message. The frames are created once, so that a measured turn does not include it. */
export function answeringWith(message: Buffer): GrpcBehaviour {
  const made = new Map<number, Buffer>()
  const framesOf = (stream: number): Buffer => {
    const frames = [begun(stream)]
    const body = prefixed(message)
    for (let at = 0; at < body.length; at += 16_384) frames.push(data(stream, body.subarray(at, at + 16_384)))
    return Buffer.concat([...frames, trailers(stream)])
  }
  return (socket, stream) => {
    const frames = made.get(stream) ?? framesOf(stream)
    made.set(stream, frames)
    socket.write(frames)
  }
}

/** Sends one message again and again, as fast as it is read. */
export const repeating = (message: Buffer): GrpcBehaviour => endlessly(begun, stream => data(stream, prefixed(message)))

/** A gRPC server of which each test says what it does with calls. It keeps to HTTP/2 until a call comes. */
export class HostileGrpcServer {
  act: GrpcBehaviour = socket => void socket.end()
  /** Sent at the start of each connection. */
  greeting = settingsFrame([])
  readonly sockets = new Set<Socket>()
  /** Calls so far. */
  calls = 0
  readonly #server: Server
  readonly #path: string | undefined

  private constructor(path: string | undefined) {
    this.#path = path
    this.#server = createServer(socket => this.#serve(socket))
  }

  /** `path`: of its socket. Omitted for a port of the loopback interface. */
  static async start(path?: string): Promise<HostileGrpcServer> {
    const server = new HostileGrpcServer(path)
    if (path === undefined) server.#server.listen(0, '127.0.0.1')
    else server.#server.listen(path)
    await once(server.#server, 'listening')
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  close(): void {
    this.#server.close()
    for (const socket of this.sockets) socket.destroy()
    if (this.#path !== undefined) rmSync(this.#path, { force: true })
  }

  #serve(socket: Socket): void {
    this.sockets.add(socket)
    socket.once('close', () => this.sockets.delete(socket)).on('error', () => {})
    if (this.greeting.length > 0) socket.write(this.greeting)
    let unread: Buffer = NOTHING
    let isFirst = true
    socket.on('data', bytes => {
      unread = Buffer.concat([unread, bytes])
      if (isFirst && unread.length >= PREFACE.length) {
        unread = unread.subarray(PREFACE.length)
        isFirst = false
      }
      while (!isFirst && unread.length >= 9) {
        const length = 9 + unread.readUIntBE(0, 3)
        if (unread.length < length) return
        const stream = unread.readUInt32BE(5)
        if (unread[3] === FrameType.headers) {
          this.calls++
          this.act(socket, stream)
        }
        unread = unread.subarray(length)
      }
    })
  }
}
