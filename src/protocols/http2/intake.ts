import type { Socket } from 'node:net'
import type { Steps } from '../../lib/steps.ts'
import { turnIsSpent } from '../../lib/turn.ts'
import { type Frame, FrameReader } from './frames.ts'
import type { TurnBudget } from './turn-budget.ts'

/**
 * Size from which a header block is decoded in steps, in bytes. 16 KiB can contain 4,000 fields and take milliseconds;
 * ordinary requests have some hundred bytes.
 */
export const LONG_BYTES = 4 * 1024

/** Time per turn for decoding long header blocks. */
const SLICE_MS = 1

/** Number of frames after which the clock is read. A read can contain a thousand frames that cause no request. */
const FRAMES = 64

const NOTHING = Buffer.alloc(0)

/** Runs steps for one slice. Returns whether they are finished. */
function runSlice(steps: Steps<void>): boolean {
  const until = performance.now() + SLICE_MS
  for (;;) {
    if (steps.next().done) return true
    if (performance.now() > until) return false
  }
}

/**
 * Reads a connection frame by frame. A client can send a thousand requests at once: when the turn of the event loop is
 * spent, the connection is not read until the next turn, so that few of its requests precede those of other
 * connections. The more connections wait, the fewer requests each begins per turn.
 */
export class Intake {
  readonly #socket: Socket
  readonly #take: (frame: Frame) => void
  /** Runs a read within the owner's error handling. */
  readonly #guard: (read: () => void) => void
  readonly #turns: TurnBudget
  readonly #reader = new FrameReader()
  #stopped = false
  /** Work that must finish before more is read, and the bytes that it holds. */
  #put: { readonly steps: Steps<void>; readonly bytes: number } | undefined
  /** Bytes that wait to be read. */
  #unread = 0
  /** Requests until the next pause, unless the turn is spent before. 0 for as many as the turn allows. */
  #quota = 0
  /** Frames since the clock was read. */
  #frames = 0
  readonly #isStopped = (): boolean => {
    if (!this.#stopped && ++this.#frames >= FRAMES) this.worked()
    return this.#stopped
  }

  /** @param turns the share of the port. */
  constructor(socket: Socket, take: (frame: Frame) => void, guard: (read: () => void) => void, turns: TurnBudget) {
    this.#socket = socket
    this.#turns = turns
    this.#take = take
    this.#guard = guard
  }

  /** Bytes that wait for a turn. */
  get heldBytes(): number {
    return this.#unread + (this.#put?.bytes ?? 0)
  }

  /** Reads a chunk. Throws a ConnectionError, as `take` does. */
  read(chunk: Buffer): void {
    const rest = this.#reader.read(chunk, this.#take, this.#isStopped)
    if (this.#stopped) this.#wait(rest)
  }

  /**
   * Runs the steps of a long header block in later turns. No more is read until they are finished.
   * @param bytes size of the block.
   */
  workInSteps(bytes: number, steps: Steps<void>): void {
    this.#put = { steps, bytes }
    this.#stopped = true
  }

  /** Counts a request that has begun or was refused. */
  began(): void {
    const isLast = this.#quota > 0 && --this.#quota === 0
    this.#stopped = isLast || turnIsSpent()
  }

  /** Pauses if other work has used up the turn. */
  worked(): void {
    this.#frames = 0
    if (turnIsSpent()) this.#stopped = true
  }

  #wait(rest: Buffer): void {
    const put = this.#put
    this.#unread = rest.length
    this.#socket.pause()
    if (put !== undefined) {
      this.#turns.readInSlices(() => this.#readOn(put.steps, rest))
      return
    }
    this.#turns.wait(quota => {
      this.#quota = quota
      this.#resume(rest)
    })
  }

  /** Runs a slice. Returns whether the steps are finished or the connection has failed. */
  #readOn(steps: Steps<void>, rest: Buffer): boolean {
    if (this.#socket.destroyed) return true
    let isDone: boolean | undefined
    this.#guard(() => {
      isDone = runSlice(steps)
    })
    if (isDone === false) return false
    this.#put = undefined
    // After a failure the rest is not read.
    if (isDone && this.#stopped) this.#wait(rest)
    else this.#resume(isDone ? rest : NOTHING)
    return true
  }

  #resume(rest: Buffer): void {
    this.#unread = 0
    if (this.#socket.destroyed) return
    this.#stopped = false
    this.#guard(() => this.read(rest))
    if (this.#stopped) return
    this.#quota = 0
    this.#socket.resume()
  }
}
