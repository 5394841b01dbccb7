import { type Duplex, finished } from 'node:stream'
import { gatherWrites } from '../../lib/gather-writes.ts'
import { PacedReading } from '../../lib/paced-reading.ts'
import { TokenBucket } from '../../lib/token-bucket.ts'
import { FrameReader } from './frame-reader.ts'
import { dataHead, goAwayFrame, pingFrame, REFUSED_STREAM, resetFrame, synStreamFrame } from './frames.ts'
import { headerBlock } from './header-block.ts'
import { outliveWriteFaults } from './write-faults.ts'

/** Limit for frames that serve no stream: burst and rate. The same as for HTTP/2. */
const IDLE_FRAMES = { burst: 1000, perSecond: 33 }
/** Time limit for the reply to a stream. */
const REPLY_MS = 30_000
/** Unread bytes beyond which pings and new streams are not responded to. */
const MAX_UNWRITTEN = 64 * 1024
/** Time for the other side to read the end and close. */
const LINGER_MS = 5_000

export interface StreamSink {
  data(bytes: Buffer): void
  /** Called once for each open stream, when it ends. */
  ended(): void
}

export interface ConnectionSink {
  /** The socket has accepted what was written. */
  drained(): void
  /**
   * The connection has ended, and open streams end next. Called once, but not after `close`.
   * `fault`: the reason of a failure. Undefined after GOAWAY.
   */
  ended(fault: string | undefined): void
}

/** A stream that this side has opened. */
export interface OpenStream {
  /** Writes data. Returns false if the caller should wait for `drained`. */
  write(bytes: Buffer): boolean
  /** Ends the sending side. */
  end(): void
}

interface Stream {
  readonly sink: StreamSink
  /** Settles the reply, with an error if there is none. Undefined once it is settled. */
  settle: ((why: Error | undefined) => void) | undefined
}

/** Client side of a SPDY/3.1 connection. `pause` stops reading, which holds back all of its streams. */
export class SpdyConnection {
  readonly #socket: Duplex
  readonly #sink: ConnectionSink
  readonly #reader: FrameReader
  readonly #reading: PacedReading
  readonly #streams = new Map<number, Stream>()
  readonly #idle = new TokenBucket(IDLE_FRAMES.burst, IDLE_FRAMES.perSecond)
  #nextId = 1
  #nextPing = 1
  #over = false

  constructor(socket: Duplex, sink: ConnectionSink) {
    this.#socket = socket
    this.#sink = sink
    this.#reader = new FrameReader({
      data: (id, bytes, fin) => this.#data(id, bytes, fin),
      replied: (id, fin) => {
        const stream = this.#streams.get(id)
        if (stream?.settle === undefined) this.#countIdle()
        stream?.settle?.(undefined)
        if (fin) this.#finish(id)
      },
      reset: id => {
        if (!this.#streams.has(id)) this.#countIdle()
        this.#streams.get(id)?.settle?.(new Error('Stream reset'))
        this.#finish(id)
      },
      opened: id => {
        this.#countIdle()
        this.#answer(resetFrame(id, REFUSED_STREAM))
      },
      ping: id => {
        this.#countIdle()
        // Odd ids are this side's own pings.
        if (id % 2 === 0) this.#answer(pingFrame(id))
      },
      other: () => this.#countIdle(),
      goAway: () => this.#end(undefined),
      violation: why => this.#end(why),
    })
    this.#reading = new PacedReading(socket, this.#reader)
  }

  /**
   * Begins to read.
   * @param head data that followed the response to the upgrade.
   */
  start(head: Buffer): void {
    const socket = this.#socket
    const gone = (): void => this.#end('unexpected EOF')
    socket.on('drain', () => this.#sink.drained())
    this.#reading.start(head)
    // The other side may stop reading before it has sent all its output, so a write failure does not end reading.
    outliveWriteFaults(socket, error => this.#end(error.message))
    socket.on('end', gone).on('close', gone)
    if (socket.destroyed) gone()
  }

  /**
   * Opens a stream and waits for the reply. Header names are in lower case. Throws if the stream is reset, no reply
   * arrives in time, or the connection ends.
   */
  async open(headers: readonly (readonly [name: string, value: string])[], sink: StreamSink): Promise<OpenStream> {
    if (this.#over) throw new Error('connection closed')
    const id = this.#nextId
    this.#nextId += 2
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => stream.settle?.(new Error('Timeout occurred')), REPLY_MS)
      const stream: Stream = {
        sink,
        settle: why => {
          clearTimeout(timer)
          stream.settle = undefined
          if (why === undefined) return resolve()
          this.#streams.delete(id)
          reject(why)
        },
      }
      this.#streams.set(id, stream)
      this.#socket.write(synStreamFrame(id, headerBlock(headers, id === 1)))
    })
    return this.#opened(id)
  }

  /** Sends a ping, unless the other side has unread data. */
  ping(): void {
    if (this.#over || this.#socket.writableLength > 0) return
    this.#socket.write(pingFrame(this.#nextPing))
    this.#nextPing = (this.#nextPing + 2) % 0x80000000
  }

  pause(): void {
    this.#reading.hold()
  }

  resume(): void {
    this.#reading.release()
  }

  /** Closes the connection. Data that was written before is still delivered. */
  close(): void {
    const socket = this.#socket
    const wasOver = this.#over
    this.#over = true
    this.#reader.stop()
    this.#fail('connection closed')
    if (socket.destroyed) return
    this.#reading.release()
    if (!wasOver) socket.write(goAwayFrame())
    socket.end()
    const destroy = (): void => void socket.destroy()
    const linger = setTimeout(destroy, LINGER_MS).unref()
    socket.once('close', () => clearTimeout(linger))
    finished(socket, destroy)
  }

  #opened(id: number): OpenStream {
    const socket = this.#socket
    let finished = false
    const canWrite = (): boolean => !this.#over && !finished && socket.writable
    return {
      write: bytes => {
        if (!canWrite()) return true
        gatherWrites(socket)
        socket.write(dataHead(id, bytes.length, false))
        socket.write(bytes)
        return !socket.writableNeedDrain
      },
      end: () => {
        if (canWrite()) socket.write(dataHead(id, 0, true))
        finished = true
      },
    }
  }

  #data(id: number, bytes: Buffer, fin: boolean): void {
    const stream = this.#streams.get(id)
    // Data before the reply is ignored.
    if (stream !== undefined && stream.settle === undefined && bytes.length > 0) stream.sink.data(bytes)
    else if (!fin || stream === undefined) this.#countIdle()
    if (fin) this.#finish(id)
  }

  #finish(id: number): void {
    const stream = this.#streams.get(id)
    this.#streams.delete(id)
    if (stream?.settle === undefined) stream?.sink.ended()
    else stream.settle(new Error('Stream reset'))
  }

  /**
   * Counts a frame that serves no stream. Too many end the connection: they cost as much as data, and are not limited
   * by a window.
   */
  #countIdle(): void {
    if (!this.#idle.take()) this.#end('too many frames serve no stream')
  }

  #answer(frame: Buffer): void {
    if (!this.#over && this.#socket.writable && this.#socket.writableLength <= MAX_UNWRITTEN) this.#socket.write(frame)
  }

  #end(fault: string | undefined): void {
    if (this.#over) return
    this.#over = true
    this.#reader.stop()
    this.#sink.ended(fault)
    this.#fail(fault ?? 'connection closed')
    for (const id of [...this.#streams.keys()]) this.#finish(id)
    this.close()
  }

  /** Rejects the pending replies. */
  #fail(why: string): void {
    for (const { settle } of [...this.#streams.values()]) settle?.(new Error(why))
  }
}
