import { type Duplex, finished } from 'node:stream'
import { gatherWrites } from '../../lib/gather-writes.ts'
import { PacedReading } from '../../lib/paced-reading.ts'
import { TokenBucket } from '../../lib/token-bucket.ts'
import { FrameReader } from './frame-reader.ts'
import { dataHead, goAwayFrame, pingFrame, REFUSED_STREAM, resetFrame, synStreamFrame } from './frames.ts'
import { headerBlock } from './header-block.ts'
import { IDLE_FRAMES } from './limits.ts'
import { outliveWriteFaults } from './write-faults.ts'

/** For the reply to a stream. */
const REPLY_MS = 30_000
/** Other side reads no answers: it gets no more of them. */
const MAX_UNWRITTEN = 64 * 1024
/** How long the other side may take to read the end and close. */
const LINGER_MS = 5_000

export interface StreamSink {
  data(bytes: Buffer): void
  /** Nothing more will come on the stream. Called once for a stream that was opened. */
  ended(): void
}

export interface ConnectionSink {
  /** What was written has been taken: more may be. */
  drained(): void
  /** Nothing more comes; streams that are open are ended next. `fault`: how it broke; undefined where the other side said that it leaves. Called once, though not after `close`. */
  ended(fault: string | undefined): void
}

/** A stream that this side has opened. */
export interface OpenStream {
  /** False: the other side should read before more is written, see the connection's `drained`. */
  write(bytes: Buffer): boolean
  /** Sends no more. */
  end(): void
}

interface Stream {
  readonly sink: StreamSink
  /** Called with why there is none; undefined when the reply has come. */
  settle: ((why: Error | undefined) => void) | undefined
}

/** The client's end of a connection in SPDY/3.1. What the other side sends is read at the pace of this side: `pause` holds back all of its streams. */
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
        // This side's own are odd.
        if (id % 2 === 0) this.#answer(pingFrame(id))
      },
      other: () => this.#countIdle(),
      goAway: () => this.#end(undefined),
      violation: why => this.#end(why),
    })
    this.#reading = new PacedReading(socket, this.#reader)
  }

  /** Begins to read. `head` is what came behind the answer that agreed to SPDY. */
  start(head: Buffer): void {
    const socket = this.#socket
    const gone = (): void => this.#end('unexpected EOF')
    socket.on('drain', () => this.#sink.drained())
    this.#reading.start(head)
    // Who ends a command does not read the rest of its input, and what it said last is still to be read.
    outliveWriteFaults(socket, error => this.#end(error.message))
    socket.on('end', gone).on('close', gone)
    if (socket.destroyed) gone()
  }

  /** Opens a stream and waits for the reply. Names are in lower case. Throws where the stream is reset, no reply comes, or the connection ends. */
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

  /** Asks for a sign of life, unless the other side has something to read. */
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

  /** Leaves; what was written before arrives. */
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
    // Before its reply a stream carries nothing.
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

  /** Ends the connection of a side that sends too many frames which serve no stream: they cost as much as those with data, and have no end. */
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

  /** Rejects the replies that are awaited. */
  #fail(why: string): void {
    for (const { settle } of [...this.#streams.values()]) settle?.(new Error(why))
  }
}
