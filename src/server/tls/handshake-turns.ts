import type { Socket } from 'node:net'
import { handleOf, type SocketHandle } from '../../lib/socket-handle.ts'

/** After a turn of more milliseconds no handshake is read for as long: a write that has begun takes several turns. */
const LONG_TURN_MS = 10
/** Milliseconds between two rounds that bring nothing, at least. */
const PAUSE_MS = 4
/** And at most. In between, a pause is as many times as long as the round before it: silent connections take little of a processor. */
const LONG_PAUSE_MS = 50
const PAUSES_PER_ROUND = 4
/** A connection that has sent nothing for so many milliseconds leaves the line, */
const QUIET_MS = 1000
/** and has a turn after so many. */
const LOOK_MS = 2000

interface Handshake {
  readonly socket: Socket
  readonly handle: SocketHandle
  /** Bytes that the client had sent when it was last looked at. */
  read: number
  /** When they had come, or the line began. */
  since: number
  /** When it has its next turn, once it has left the line. */
  due: number
}

/** What the turns need of the event loop. */
export interface HandshakeLoop {
  /** Milliseconds of a steady clock. */
  now(): number
  /** Calls back after the next poll, which does not wait for anything. */
  afterPoll(callback: () => void): void
  /** Calls back after so many milliseconds. */
  after(milliseconds: number, callback: () => void): void
}

const NODE: HandshakeLoop = {
  now: () => performance.now(),
  afterPoll: callback => void setImmediate(callback),
  after: (milliseconds, callback) => void setTimeout(callback, milliseconds).unref(),
}

/**
 * Shares the turns of the event loop out among the connections of a port that are in their TLS handshake: a turn reads one of them, in a line that goes round. OpenSSL verifies the whole chain of certificates that
 * a client shows, up to 100 KB, within one read: 97 on a slow curve take 25 to 90 ms.
 */
export class HandshakeTurns {
  readonly #loop: HandshakeLoop
  /** In the order of their turns. */
  readonly #open = new Map<Socket, Handshake>()
  /** Those that have been silent for long, in the order in which they are due: as many as a client may leave open take little of a processor, and hold up nobody who goes on. */
  readonly #quiet = new Map<Socket, Handshake>()
  /** The one that is read. The others are not. */
  #reading: Handshake | undefined
  #isRunning = false
  /** When the turn began that reads it; undefined where it may have waited for something. */
  #began: number | undefined
  /** Connections that were read in vain, one after the other, and since when. */
  #inVain = 0
  #inVainSince = 0

  constructor(loop = NODE) {
    this.#loop = loop
  }

  /** A connection has been accepted. Node begins to read it when the caller is done. */
  add(socket: Socket): void {
    process.nextTick(() => this.#take(socket))
  }

  /** The handshake is done, or the connection closed. */
  end(socket: Socket): void {
    this.#open.delete(socket)
    this.#quiet.delete(socket)
  }

  get #size(): number {
    return this.#open.size + this.#quiet.size
  }

  #take(socket: Socket): void {
    const handle = handleOf(socket)
    if (socket.destroyed || handle === undefined) return
    const handshake = { socket, handle, read: socket.bytesRead, since: this.#loop.now(), due: 0 }
    this.#open.set(socket, handshake)
    socket.once('close', () => this.end(socket))
    if (this.#size === 1 && !this.#isRunning) {
      this.#reading = handshake
      return
    }
    handle.readStop()
    if (this.#isRunning) return
    this.#isRunning = true
    this.#beginRound(this.#loop.now())
    this.#loop.afterPoll(this.#next)
  }

  readonly #next = (): void => {
    const now = this.#loop.now()
    if (this.#reading !== undefined) this.#putBack(this.#reading, now)
    const took = this.#began === undefined ? 0 : now - this.#began
    this.#began = undefined
    if (took > LONG_TURN_MS) {
      this.#reading = undefined
      this.#loop.after(took, this.#next)
    } else this.#readFirst(now)
  }

  #readFirst(now: number): void {
    this.#wake(now)
    const [first] = this.#open.values()
    this.#reading = first
    first?.handle.readStart()
    this.#isRunning = this.#size > 1
    if (!this.#isRunning) return
    if (this.#inVain >= this.#open.size) this.#pause(now)
    else {
      this.#began = now
      this.#loop.afterPoll(this.#next)
    }
  }

  /** Those that are due go to the end of the line, and so does one that is the only one left. */
  #wake(now: number): void {
    for (const [socket, handshake] of this.#quiet) {
      if (handshake.due > now && this.#size > 1) return
      this.#quiet.delete(socket)
      this.#open.set(socket, handshake)
    }
  }

  /** One that was read goes to the end of the line, or out of it. */
  #putBack(handshake: Handshake, now: number): void {
    const { socket, handle, read } = handshake
    if (!this.#open.delete(socket)) return
    handle.readStop()
    handshake.read = socket.bytesRead
    if (handshake.read !== read) {
      handshake.since = now
      this.#beginRound(now)
    } else if (now - handshake.since >= QUIET_MS) {
      handshake.due = now + LOOK_MS
      this.#quiet.set(socket, handshake)
      return
    } else this.#inVain++
    this.#open.set(socket, handshake)
  }

  #beginRound(now: number): void {
    this.#inVain = 0
    this.#inVainSince = now
  }

  /** Nobody in the line has sent anything. */
  #pause(now: number): void {
    const since = this.#inVainSince
    this.#beginRound(now)
    this.#loop.after(Math.min(LONG_PAUSE_MS, Math.max(PAUSE_MS, (now - since) * PAUSES_PER_ROUND)), this.#next)
  }
}
