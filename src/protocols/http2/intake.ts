import type { Socket } from 'node:net'
import { inLongTurn, turnIsSpent } from '../../lib/turn.ts'
import { type Frame, FrameReader } from './frames.ts'
import { shareTurn } from './turn-share.ts'

/** A header block of more bytes takes milliseconds to read: nearly all of a turn. Those of ordinary requests have some hundred. */
const LONG_BYTES = 16 * 1024

/** Such blocks wait in one line, whatever connections they are of, and are read one a turn: what else waits does not wait for more than one of them. */
const line: (() => void)[] = []
let isLineServed = false

function inLine(work: () => void): void {
  line.push(work)
  serveLine()
}

function serveLine(): void {
  if (isLineServed || line.length === 0) return
  isLineServed = true
  inLongTurn(() => {
    isLineServed = false
    line.shift()?.()
    serveLine()
  })
}

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
  /** What is to be done before more is read, and bytes that it holds. */
  private put: { readonly act: () => void; readonly bytes: number } | undefined
  /** Bytes that have come and wait to be read. */
  private unread = 0
  /** Requests until the next wait; 0: as many as the turn allows. */
  private quota = 0
  private readonly isStopped = (): boolean => this.stopped

  constructor(socket: Socket, take: (frame: Frame) => void, guard: (read: () => void) => void) {
    this.socket = socket
    this.take = take
    this.guard = guard
  }

  /** Bytes of what waits for a turn. */
  get heldBytes(): number {
    return this.unread + (this.put?.bytes ?? 0)
  }

  /** Throws a ConnectionError, as `take` does. */
  read(chunk: Buffer): void {
    const rest = this.reader.read(chunk, this.take, this.isStopped)
    if (this.stopped) this.wait(rest)
  }

  /** Does what a header block of so many bytes leads to: now, or in a later turn where it is long and others have had theirs. Until then nothing more is read. */
  work(bytes: number, act: () => void): void {
    if (bytes <= LONG_BYTES || (line.length === 0 && !turnIsSpent())) {
      act()
      return
    }
    this.put = { act, bytes }
    this.stopped = true
  }

  /** A request has begun, or was refused. */
  began(): void {
    this.stopped = this.quota > 0 ? --this.quota === 0 : turnIsSpent()
  }

  private wait(rest: Buffer): void {
    this.unread = rest.length
    this.socket.pause()
    if (this.put !== undefined) {
      inLine(() => this.resume(rest))
      return
    }
    shareTurn(quota => {
      this.quota = quota
      this.resume(rest)
    })
  }

  private resume(rest: Buffer): void {
    const { put } = this
    this.unread = 0
    this.put = undefined
    if (this.socket.destroyed) return
    this.stopped = false
    this.guard(() => {
      put?.act()
      if (this.stopped) this.wait(rest)
      else this.read(rest)
    })
    if (this.stopped) return
    this.quota = 0
    this.socket.resume()
  }
}
