import { nextTick } from 'node:process'
import type { TLSSocket } from 'node:tls'
import { BufferPool } from '../../lib/buffer-pool.ts'
import { ControlQueue } from './control-queue.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { Flag, FRAME_BYTES, FrameType, frameKind, HEADER_BYTES, INITIAL_WINDOW, MAX_31_BITS, writeFrameHeader } from './frames.ts'
import { MAX_UNREAD_BYTES } from './limits.ts'

/** A source of DATA frames, subject to flow control. */
export interface DataSource {
  readonly id: number
  /** Bytes that wait to be sent. */
  readonly queued: number
  /** Whether the data ends after them. */
  readonly ending: boolean
  /** Remaining window of the stream. */
  window: number
  /** Whether it is in the list of sources to send. */
  ready: boolean
  /** Copies its next bytes. */
  take(into: Buffer, at: number, bytes: number): void
  /** Called when END_STREAM has been sent. */
  sent(): void
  /** Called when all queued bytes have been sent. */
  emptied(): void
}

/** Maximum size of a write, in bytes. Larger writes cost less per frame. */
const SLAB_BYTES = 256 * 1024
/** Smaller writes use a buffer of their own size. */
const SMALL_BYTES = 16 * 1024

const SPARE_SLABS = 8

/** Pool of write buffers, shared by the connections of a port. */
export const slabPool = (): BufferPool => new BufferPool(SLAB_BYTES, SPARE_SLABS)

/**
 * Sending side of a connection. Frames that one turn of the event loop produces leave in one write, with a frame of
 * each stream in turn, as the client's windows allow. While the kernel accepts no more, data stays in the queues of its
 * streams, where buffers can be shared with other streams.
 */
export class Sender {
  /** Remaining window of the connection. */
  window = INITIAL_WINDOW
  readonly #socket: TLSSocket
  readonly #slabs: BufferPool
  /** Number of writes that the kernel has accepted. */
  writes = 0
  /** DATA frames that were sent, and their bytes. */
  sentFrames = 0
  sentBytes = 0
  readonly #overflow: () => void
  readonly #control = new ControlQueue()
  /** Bytes of the write that the kernel has not accepted yet. */
  #inWrite = 0
  #sources: DataSource[] = []
  #scheduled = false
  #writing = false
  #ending = false
  #stopped = false

  /** @param overflow called when frames without flow control exceed MAX_UNREAD_BYTES. */
  constructor(socket: TLSSocket, slabs: BufferPool, overflow: () => void) {
    this.#socket = socket
    this.#slabs = slabs
    this.#overflow = overflow
  }

  /** Bytes that wait here or for the kernel, without the queues of the streams. */
  get waitingBytes(): number {
    return this.#control.bytes + this.#inWrite
  }

  /** Whether the kernel has not accepted the last write. */
  get isWriting(): boolean {
    return this.#writing
  }

  /** Sends a frame that is not subject to flow control, before all waiting data. */
  send(frame: Buffer): void {
    if (this.#stopped) return
    this.#control.push(frame)
    if (this.#writing && this.#control.bytes > MAX_UNREAD_BYTES) this.#overflow()
    else this.#schedule()
  }

  /** Schedules a source that has more data, or a larger window. */
  serve(source: DataSource): void {
    if (!source.ready) {
      source.ready = true
      this.#sources.push(source)
    }
    this.#schedule()
  }

  widen(bytes: number): void {
    this.window += bytes
    if (this.window > MAX_31_BITS) throw new ConnectionError(ErrorCode.flowControl, 'the window of the connection is too large')
    this.#schedule()
  }

  /** Ends the connection when everything is sent. */
  end(): void {
    this.#ending = true
    this.#schedule()
  }

  /** Stops sending. The GOAWAY frame of a failure bypasses the sender. */
  stop(): void {
    this.#stopped = true
    this.#control.clear()
    this.#sources = []
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    nextTick(this.flush)
  }

  /**
   * Writes what waits. If a write is in progress, the rest follows when it is done, which TLS reports in the next turn
   * at the earliest.
   */
  readonly flush = (): void => {
    this.#scheduled = false
    if (this.#writing || this.#stopped || this.#socket.destroyed) return
    this.#write()
    if (this.#ending && !this.#writing) {
      this.#stopped = true
      this.#socket.end()
    }
  }

  #write(): void {
    const small = this.#waiting(SMALL_BYTES)
    if (small === 0) return
    const slab = small < SMALL_BYTES ? Buffer.allocUnsafe(small) : this.#slabs.take()
    const emptied: DataSource[] = []
    let at = this.#control.takeInto(slab)
    if (this.#control.bytes === 0) at = this.#writeData(slab, at, emptied)
    if (at === 0) this.#slabs.give(slab)
    else {
      this.#writing = true
      this.#inWrite = at
      this.#socket.write(slab.subarray(0, at), () => {
        this.#writing = false
        this.#inWrite = 0
        this.writes++
        this.#slabs.give(slab)
        this.flush()
      })
    }
    for (const source of emptied) source.emptied()
  }

  /** Returns the number of bytes to write, including frame headers. Stops counting at `most`. */
  #waiting(most: number): number {
    let bytes = this.#control.bytes
    for (const { queued } of this.#sources) {
      bytes += HEADER_BYTES + queued
      if (bytes >= most) break
    }
    return bytes
  }

  #writeData(slab: Buffer, from: number, emptied: DataSource[]): number {
    let at = from
    let sources = this.#sources
    this.#sources = []
    // Writes a frame of each source in turn. A source that has used up its own window is removed; one that waits for
    // the connection's window or the next write stays.
    while (sources.length > 0) {
      const again: DataSource[] = []
      for (const source of sources) {
        const room = slab.length - at - HEADER_BYTES
        if (room < Math.min(source.queued, FRAME_BYTES / 16) || (this.window <= 0 && source.queued > 0)) {
          this.#sources.push(source)
          continue
        }
        const bytes = Math.max(0, Math.min(source.queued, source.window, this.window, FRAME_BYTES, room))
        const last = source.ending && bytes === source.queued
        if (bytes > 0 || last) {
          const payload = writeFrameHeader(slab, at, bytes, frameKind(FrameType.data, last ? Flag.endStream : Flag.none), source.id)
          source.take(slab, payload, bytes)
          at = payload + bytes
          source.window -= bytes
          this.window -= bytes
          this.sentFrames++
          this.sentBytes += bytes
        }
        if (source.queued > 0 && source.window > 0) {
          again.push(source)
          continue
        }
        source.ready = false
        if (last) source.sent()
        else if (source.queued === 0) emptied.push(source)
      }
      sources = again
    }
    return at
  }
}
