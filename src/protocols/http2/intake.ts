import type { Socket } from 'node:net'
import type { Steps } from '../../lib/steps.ts'
import { turnIsSpent } from '../../lib/turn.ts'
import { type Frame, FrameReader } from './frames.ts'
import type { TurnShare } from './turn-share.ts'

/** A header block of more bytes may take milliseconds: 16 KiB hold 4,000 fields. Those of ordinary requests have some hundred bytes. */
export const LONG_BYTES = 4 * 1024

/** Of a long block, milliseconds that are read in one turn. */
const SLICE_MS = 1

/** After so many frames the clock is looked at, requests or not: a read holds a thousand that ask for nothing. */
const FRAMES = 64

const NOTHING = Buffer.alloc(0)

/** Whether the steps have come to their end in the time of a slice. */
function finish(steps: Steps<void>): boolean {
  const until = performance.now() + SLICE_MS
  for (;;) {
    if (steps.next().done) return true
    if (performance.now() > until) return false
  }
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
  private readonly turns: TurnShare
  private readonly reader = new FrameReader()
  private stopped = false
  /** What is to be done before more is read, and bytes that it holds. */
  private put: { readonly steps: Steps<void>; readonly bytes: number } | undefined
  /** Bytes that have come and wait to be read. */
  private unread = 0
  /** Requests until the next wait, unless the turn is spent before; 0: as many as the turn allows. */
  private quota = 0
  /** Frames since the clock was looked at. */
  private frames = 0
  private readonly isStopped = (): boolean => {
    if (!this.stopped && ++this.frames >= FRAMES) this.worked()
    return this.stopped
  }

  /** `turns`: of the port. */
  constructor(socket: Socket, take: (frame: Frame) => void, guard: (read: () => void) => void, turns: TurnShare) {
    this.socket = socket
    this.turns = turns
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

  /** Does in later turns what a long header block of so many bytes leads to. Until then nothing more is read. */
  workInSteps(bytes: number, steps: Steps<void>): void {
    this.put = { steps, bytes }
    this.stopped = true
  }

  /** A request has begun, or was refused. */
  began(): void {
    const isLast = this.quota > 0 && --this.quota === 0
    this.stopped = isLast || turnIsSpent()
  }

  /** Something has taken time that is no request. */
  worked(): void {
    this.frames = 0
    if (turnIsSpent()) this.stopped = true
  }

  private wait(rest: Buffer): void {
    const { put } = this
    this.unread = rest.length
    this.socket.pause()
    if (put !== undefined) {
      this.turns.readInSlices(() => this.readOn(put.steps, rest))
      return
    }
    this.turns.wait(quota => {
      this.quota = quota
      this.resume(rest)
    })
  }

  /** Returns whether the block has been read, or will never be. */
  private readOn(steps: Steps<void>, rest: Buffer): boolean {
    if (this.socket.destroyed) return true
    let isDone: boolean | undefined
    this.guard(() => {
      isDone = finish(steps)
    })
    if (isDone === false) return false
    this.put = undefined
    // Where it has failed, the rest is not looked at.
    if (isDone && this.stopped) this.wait(rest)
    else this.resume(isDone ? rest : NOTHING)
    return true
  }

  private resume(rest: Buffer): void {
    this.unread = 0
    if (this.socket.destroyed) return
    this.stopped = false
    this.guard(() => this.read(rest))
    if (this.stopped) return
    this.quota = 0
    this.socket.resume()
  }
}
