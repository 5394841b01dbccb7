import { Duplex, finished } from 'node:stream'
import { gatherWrites } from '../../lib/gather-writes.ts'
import { PacedReading } from '../../lib/paced-reading.ts'
import { TokenBucket } from '../../lib/token-bucket.ts'
import { FrameReader } from './frame-reader.ts'
import { CANCEL, dataHead, goAwayFrame, pingFrame, resetFrame, synReplyFrame } from './frames.ts'
import { headerBlock } from './header-block.ts'
import { HeaderReader, MAX_BLOCK_BYTES } from './header-reader.ts'

/** Limit for frames that serve no stream: burst and rate. The same as for the client's side. */
const IDLE_FRAMES = { burst: 1000, perSecond: 33 }
/** Largest number of streams that are open at the same time. */
const MAX_STREAMS = 1000
/** Time for the other side to read the end and close, in milliseconds. */
const LINGER_MS = 5_000
/** Largest data frame that is written. */
const MAX_FRAME_BYTES = 64 * 1024
/** Priority and slot of SYN_STREAM, before its header block. */
const PRIORITY_BYTES = 2

export interface ServerConnectionSink {
  /** Called with each stream of the client, which has been replied to. Destroying the stream resets it. */
  opened(stream: ServerStream): void
  /** The connection has ended, and with it all streams. Called once, but not after `close`. */
  ended(): void
}

/** A stream that the client has opened. It reads the client's data, and writes to the client. */
export class ServerStream extends Duplex {
  readonly headers: ReadonlyMap<string, string>
  readonly #connection: StreamWriter

  constructor(headers: ReadonlyMap<string, string>, connection: StreamWriter) {
    super({ allowHalfOpen: true })
    this.headers = headers
    this.#connection = connection
  }

  override _read(): void {
    this.#connection.wanted()
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#connection.write(chunk, done)
  }

  override _final(done: () => void): void {
    this.#connection.finish()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#connection.left()
    done(error)
  }
}

/** Writes of one stream to its connection. */
interface StreamWriter {
  /** The stream reads again. */
  wanted(): void
  /** Calls `done` when the socket has room for more. */
  write(bytes: Buffer, done: () => void): void
  finish(): void
  /** The stream is destroyed. */
  left(): void
}

/**
 * Server side of a SPDY/3.1 connection. A stream that is not read holds back all streams of the connection, which have
 * no windows of their own.
 */
export class SpdyServerConnection {
  readonly #socket: Duplex
  readonly #sink: ServerConnectionSink
  readonly #headers = new HeaderReader()
  readonly #reader: FrameReader
  readonly #reading: PacedReading
  readonly #streams = new Map<number, ServerStream>()
  readonly #idle = new TokenBucket(IDLE_FRAMES.burst, IDLE_FRAMES.perSecond)
  readonly #waiting: (() => void)[] = []
  /** Stream whose header block is being read. */
  #opening: { readonly id: number; readonly pieces: Buffer[]; bytes: number } | undefined
  #hasReplied = false
  #over = false

  constructor(socket: Duplex, sink: ServerConnectionSink) {
    this.#socket = socket
    this.#sink = sink
    this.#reader = new FrameReader({
      data: (id, bytes, fin) => this.#data(id, bytes, fin),
      opened: id => {
        this.#opening = { id, pieces: [], bytes: 0 }
      },
      rest: (bytes, isLast) => this.#takeHeaders(bytes, isLast),
      replied: () => this.#countIdle(),
      reset: id => {
        this.#countIdle()
        this.#streams.get(id)?.destroy()
      },
      ping: id => {
        this.#countIdle()
        // Even ids would be this side's own pings.
        if (id % 2 === 1 && !this.#over && socket.writable) socket.write(pingFrame(id))
      },
      other: () => this.#countIdle(),
      goAway: () => this.#end(),
      violation: () => this.#end(),
    })
    this.#reading = new PacedReading(socket, this.#reader)
  }

  /** Begins to read. @param head data that followed the request. */
  start(head: Buffer): void {
    const socket = this.#socket
    const gone = (): void => this.#end()
    socket.on('drain', () => {
      for (const go of this.#waiting.splice(0)) go()
    })
    socket.on('error', gone).on('end', gone).on('close', gone)
    this.#reading.start(head)
    if (socket.destroyed) gone()
  }

  /** Closes the connection. Data that was written before is still delivered. */
  close(): void {
    const socket = this.#socket
    const wasOver = this.#over
    this.#over = true
    this.#reader.stop()
    this.#leaveStreams()
    if (socket.destroyed) return
    this.#reading.release()
    if (!wasOver && socket.writable) socket.write(goAwayFrame())
    socket.end()
    const destroy = (): void => void socket.destroy()
    const linger = setTimeout(destroy, LINGER_MS).unref()
    socket.once('close', () => clearTimeout(linger))
    finished(socket, destroy)
  }

  #takeHeaders(bytes: Buffer, isLast: boolean): void {
    const opening = this.#opening
    if (opening === undefined) return
    opening.pieces.push(bytes)
    opening.bytes += bytes.length
    if (opening.bytes > MAX_BLOCK_BYTES) this.#end()
    if (!isLast || this.#over) return
    this.#opening = undefined
    this.#open(opening.id, Buffer.concat(opening.pieces).subarray(PRIORITY_BYTES))
  }

  #open(id: number, block: Buffer): void {
    let headers: Map<string, string>
    try {
      headers = this.#headers.read(block)
    } catch {
      this.#end()
      return
    }
    if (id % 2 === 0 || this.#streams.has(id) || this.#streams.size >= MAX_STREAMS) {
      this.#end()
      return
    }
    const stream = new ServerStream(headers, this.#writerOf(id))
    stream.on('error', () => {})
    this.#streams.set(id, stream)
    this.#socket.write(synReplyFrame(id, headerBlock([], !this.#hasReplied)))
    this.#hasReplied = true
    this.#sink.opened(stream)
  }

  #writerOf(id: number): StreamWriter {
    const socket = this.#socket
    let hasFinished = false
    const canWrite = (): boolean => !this.#over && socket.writable
    return {
      wanted: () => this.#reading.release(),
      write: (bytes, done) => {
        if (!canWrite()) {
          done()
          return
        }
        gatherWrites(socket)
        for (let at = 0; at < bytes.length; at += MAX_FRAME_BYTES) {
          const piece = bytes.subarray(at, at + MAX_FRAME_BYTES)
          socket.write(dataHead(id, piece.length, false))
          socket.write(piece)
        }
        if (socket.writableNeedDrain) this.#waiting.push(done)
        else done()
      },
      finish: () => {
        hasFinished = true
        if (canWrite()) socket.write(dataHead(id, 0, true))
      },
      left: () => {
        const stream = this.#streams.get(id)
        this.#streams.delete(id)
        if (canWrite() && !(hasFinished && stream?.readableEnded)) socket.write(resetFrame(id, CANCEL))
        if (!this.#over) this.#reading.release()
      },
    }
  }

  #data(id: number, bytes: Buffer, fin: boolean): void {
    const stream = this.#streams.get(id)
    if (stream === undefined || (bytes.length === 0 && !fin)) this.#countIdle()
    else if (bytes.length > 0 && !stream.push(bytes)) this.#reading.hold()
    if (fin) stream?.push(null)
  }

  /** Counts a frame that serves no stream. Too many end the connection. */
  #countIdle(): void {
    if (!this.#idle.take()) this.#end()
  }

  #end(): void {
    if (this.#over) return
    this.#over = true
    this.#reader.stop()
    this.#sink.ended()
    this.close()
  }

  /** Ends the streams: their readers see the end of the client's data, and their writers write nothing. */
  #leaveStreams(): void {
    for (const stream of this.#streams.values()) if (!stream.readableEnded) stream.push(null)
    for (const go of this.#waiting.splice(0)) go()
  }
}
