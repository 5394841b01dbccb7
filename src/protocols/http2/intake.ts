import type { Socket } from 'node:net'
import { inNextTurn, turnIsSpent } from '../../lib/turn.ts'
import { type Frame, FrameReader } from './frames.ts'

/** Requests that all connections which had to wait begin in a turn together, before each of them has to wait again. */
const SHARED_REQUESTS = 64

/** Connections that wait for a turn. */
let waiting = 0

/**
 * What a connection reads, frame by frame. A client may have sent a thousand requests at once: when the turn of the event loop is spent, the connection is not read on until the next, so that
 * it has few requests before those of others. The more connections wait, the fewer requests each of them begins in its turn.
 */
export class Intake {
  private readonly socket: Socket
  private readonly take: (frame: Frame) => void
  /** Reads within the owner's guard against errors. */
  private readonly guard: (read: () => void) => void
  private readonly reader = new FrameReader()
  private stopped = false
  /** Requests until the next wait; 0: as many as the turn allows. */
  private quota = 0
  private readonly isStopped = (): boolean => this.stopped

  constructor(socket: Socket, take: (frame: Frame) => void, guard: (read: () => void) => void) {
    this.socket = socket
    this.take = take
    this.guard = guard
  }

  /** Throws a ConnectionError, as `take` does. */
  read(chunk: Buffer): void {
    const rest = this.reader.read(chunk, this.take, this.isStopped)
    if (!this.stopped) return
    waiting++
    this.socket.pause()
    inNextTurn(() => this.resume(rest))
  }

  /** A request has begun, or was refused. */
  began(): void {
    this.stopped = this.quota > 0 ? --this.quota === 0 : turnIsSpent()
  }

  private resume(rest: Buffer): void {
    const quota = Math.max(1, Math.floor(SHARED_REQUESTS / waiting))
    waiting--
    if (this.socket.destroyed) return
    this.stopped = false
    this.quota = quota
    this.guard(() => this.read(rest))
    if (this.stopped) return
    this.quota = 0
    this.socket.resume()
  }
}
