import type { Socket } from 'node:net'
import { handleOf, type SocketHandle } from '../../lib/socket-handle.ts'

/**
 * After a turn that took longer, in milliseconds, no handshake is read for the same time: a write that is in progress
 * takes several turns.
 */
const LONG_TURN_MS = 10
/** Minimum pause in milliseconds between two rounds in which no client sent anything. */
const PAUSE_MS = 4
/**
 * Maximum pause. In between, a pause takes PAUSES_PER_ROUND times as long as the round before it, so that silent
 * connections take little CPU.
 */
const LONG_PAUSE_MS = 50
const PAUSES_PER_ROUND = 4
/** A connection that has sent nothing for this long, in milliseconds, leaves the line. */
const QUIET_MS = 1000
/** A connection outside the line is read again after this time, in milliseconds. */
const LOOK_MS = 2000

interface Handshake {
  readonly socket: Socket
  readonly handle: SocketHandle
  /** Bytes that the client had sent when its connection was last read. */
  read: number
  /** Time at which the last bytes were noticed, or the handshake began. */
  since: number
  /** Time of the next read, for a connection outside the line. */
  due: number
}

/** The event loop, as far as the turns need it. */
export interface HandshakeLoop {
  /** Milliseconds of a steady clock. */
  now(): number
  /** Calls back after the next poll. The poll does not block. */
  afterPoll(callback: () => void): void
  /** Calls back after a delay in milliseconds. */
  after(milliseconds: number, callback: () => void): void
}

const NODE: HandshakeLoop = {
  now: () => performance.now(),
  afterPoll: callback => void setImmediate(callback),
  after: (milliseconds, callback) => void setTimeout(callback, milliseconds).unref(),
}

/**
 * Shares the turns of the event loop among the connections of a port that are in their TLS handshake: each turn reads
 * one of them, round-robin. OpenSSL verifies the whole certificate chain of a client, up to 100 KB, within one read: 97
 * certificates on a slow curve take 25 to 90 ms.
 */
export class HandshakeTurns {
  readonly #loop: HandshakeLoop
  /** Connections in the line, in the order of their turns. */
  readonly #open = new Map<Socket, Handshake>()
  /**
   * Connections that have been silent for long, in the order of their due times. A client may leave many open without
   * taking much CPU or delaying the others.
   */
  readonly #quiet = new Map<Socket, Handshake>()
  /** The connection that is being read. All others are stopped. */
  #reading: Handshake | undefined
  #isRunning = false
  /** Start of the turn that reads it. Undefined if the turn may have waited for something else. */
  #began: number | undefined
  /** Consecutive reads that brought nothing, and the start of the round. */
  #inVain = 0
  #inVainSince = 0

  constructor(loop = NODE) {
    this.#loop = loop
  }

  /** Adds an accepted connection. Node starts reading it when the caller returns. */
  add(socket: Socket): void {
    process.nextTick(() => this.#take(socket))
  }

  /** Removes a connection whose handshake is done, or that was closed. */
  end(socket: Socket): void {
    this.#open.delete(socket)
    this.#quiet.delete(socket)
  }

  get #size(): number {
    return this.#open.size + this.#quiet.size
  }

  /**
   * Takes over the reading of a socket. A single connection is read by Node as usual; the line starts with a second
   * one.
   */
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

  /**
   * Ends the turn of the connection that was read, and begins the next one. After a long turn, nothing is read for the
   * same time.
   */
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

  /** Reads the first connection of the line in this turn. */
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

  /** Appends connections that are due to the line, and a single remaining one. */
  #wake(now: number): void {
    for (const [socket, handshake] of this.#quiet) {
      if (handshake.due > now && this.#size > 1) return
      this.#quiet.delete(socket)
      this.#open.set(socket, handshake)
    }
  }

  /** Stops the connection that was read. It goes to the end of the line, or out of it if it is silent. */
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

  /** Pauses after a round in which no client sent anything. */
  #pause(now: number): void {
    const since = this.#inVainSince
    this.#beginRound(now)
    this.#loop.after(Math.min(LONG_PAUSE_MS, Math.max(PAUSE_MS, (now - since) * PAUSES_PER_ROUND)), this.#next)
  }
}
