import { nextTick } from 'node:process'
import type { TLSSocket } from 'node:tls'
import { BufferPool } from '../../lib/buffer-pool.ts'
import { ControlQueue } from './control-queue.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { Flag, FRAME_BYTES, FrameType, HEADER_BYTES, INITIAL_WINDOW, kindOf, MAX_31_BITS, writeFrameHeader } from './frames.ts'
import { MAX_UNREAD_BYTES } from './limits.ts'

/** Something with bytes to send, as the peer gives room for them. */
export interface Source {
  readonly id: number
  /** Bytes that wait. */
  readonly queued: number
  /** Nothing comes after them. */
  readonly ending: boolean
  /** Bytes that the peer takes on this stream. */
  window: number
  /** It is among those that are served. */
  ready: boolean
  /** Copies its next bytes. */
  take(into: Buffer, at: number, bytes: number): void
  /** Its last frame has been sent. */
  sent(): void
  /** All that waited has been sent. */
  emptied(): void
}

/** Of one write to the connection: the more goes into one, the less each frame costs. */
const SLAB_BYTES = 256 * 1024
/** What is less than that gets memory of its own size. */
const SMALL_BYTES = 16 * 1024

const SPARE_SLABS = 8

/** The memory that the connections of a port write in. */
export const slabPool = (): BufferPool => new BufferPool(SLAB_BYTES, SPARE_SLABS)

/**
 * What a connection sends. Frames of all streams that one turn of the event loop brings leave in one write, a frame of each stream in turn, as far as the peer's windows go; while the
 * kernel takes no more, bytes wait with their streams, where they are shared with others.
 */
export class Sender {
  /** Bytes that the peer takes on the connection. */
  window = INITIAL_WINDOW
  private readonly socket: TLSSocket
  private readonly slabs: BufferPool
  /** Writes that the kernel has taken. */
  writes = 0
  /** Frames of data that were sent, and their bytes. */
  sentFrames = 0
  sentBytes = 0
  private readonly overflow: () => void
  private readonly control = new ControlQueue()
  /** Of the write that the kernel has not taken yet. */
  private inWrite = 0
  private sources: Source[] = []
  private scheduled = false
  private writing = false
  private ending = false
  private stopped = false

  /** `overflow`: called when more waits that no window holds back than a peer may leave unread. */
  constructor(socket: TLSSocket, slabs: BufferPool, overflow: () => void) {
    this.socket = socket
    this.slabs = slabs
    this.overflow = overflow
  }

  /** Bytes that wait here, or for the kernel. Those of the streams' own are not among them. */
  get waitingBytes(): number {
    return this.control.bytes + this.inWrite
  }

  /** The kernel has not taken the last write. */
  get isWriting(): boolean {
    return this.writing
  }

  /** A frame that no window holds back. It goes before all data that waits. */
  send(frame: Buffer): void {
    if (this.stopped) return
    this.control.push(frame)
    if (this.writing && this.control.bytes > MAX_UNREAD_BYTES) this.overflow()
    else this.schedule()
  }

  /** The source has more to send, or more room for it. */
  serve(source: Source): void {
    if (!source.ready) {
      source.ready = true
      this.sources.push(source)
    }
    this.schedule()
  }

  widen(bytes: number): void {
    this.window += bytes
    if (this.window > MAX_31_BITS) throw new ConnectionError(ErrorCode.flowControl, 'the window of the connection is too large')
    this.schedule()
  }

  /** Ends the connection when all is sent. */
  end(): void {
    this.ending = true
    this.schedule()
  }

  /** Sends no more: the GOAWAY frame of a failure bypasses the sender. */
  stop(): void {
    this.stopped = true
    this.control.clear()
    this.sources = []
  }

  private schedule(): void {
    if (this.scheduled) return
    this.scheduled = true
    nextTick(this.flush)
  }

  /** Sends what waits, or leaves it until the last write is done: TLS reports it in the next turn at the earliest. */
  readonly flush = (): void => {
    this.scheduled = false
    if (this.writing || this.stopped || this.socket.destroyed) return
    this.write()
    if (this.ending && !this.writing) {
      this.stopped = true
      this.socket.end()
    }
  }

  private write(): void {
    const small = this.waiting(SMALL_BYTES)
    if (small === 0) return
    const slab = small < SMALL_BYTES ? Buffer.allocUnsafe(small) : this.slabs.take()
    const emptied: Source[] = []
    let at = this.control.takeInto(slab)
    if (this.control.bytes === 0) at = this.writeData(slab, at, emptied)
    if (at === 0) this.slabs.give(slab)
    else {
      this.writing = true
      this.inWrite = at
      this.socket.write(slab.subarray(0, at), () => {
        this.writing = false
        this.inWrite = 0
        this.writes++
        this.slabs.give(slab)
        this.flush()
      })
    }
    for (const source of emptied) source.emptied()
  }

  /** Bytes to write, headers of frames included, or some number from `most` on. */
  private waiting(most: number): number {
    let bytes = this.control.bytes
    for (const { queued } of this.sources) {
      bytes += HEADER_BYTES + queued
      if (bytes >= most) break
    }
    return bytes
  }

  private writeData(slab: Buffer, from: number, emptied: Source[]): number {
    let at = from
    let sources = this.sources
    this.sources = []
    // A frame of each in turn. Who can't go on for its own window leaves; who waits for that of the connection, or for another write, stays.
    while (sources.length > 0) {
      const again: Source[] = []
      for (const source of sources) {
        const room = slab.length - at - HEADER_BYTES
        if (room < Math.min(source.queued, FRAME_BYTES / 16) || (this.window <= 0 && source.queued > 0)) {
          this.sources.push(source)
          continue
        }
        const bytes = Math.max(0, Math.min(source.queued, source.window, this.window, FRAME_BYTES, room))
        const last = source.ending && bytes === source.queued
        if (bytes > 0 || last) {
          const payload = writeFrameHeader(slab, at, bytes, kindOf(FrameType.data, last ? Flag.endStream : Flag.none), source.id)
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
