import type { TLSSocket } from 'node:tls'
import { handleOf, type SocketHandle } from '../../lib/socket-handle.ts'
import { inNextTurn } from '../../lib/turn.ts'

/**
 * Streams per turn beyond which a connection is not read until its turn in the queue. Ordinary clients open fewer at
 * once.
 */
const MANY_STREAMS = 32

/** Streams that make a turn long. A single connection can open and cancel 1,800, which takes 0.1 s. */
const STORM_OF_STREAMS = 256

/**
 * With more queued connections than this, or after a long turn, each turn with a read is followed by turns without. A
 * response takes several turns, only one of which is then long.
 */
const CROWD = 8
const TURNS_BETWEEN = 6

/**
 * Queued connections of a port, which are not read: new ones, and those that opened many streams at once. A read can
 * open five hundred streams, each of which takes 30 µs before it is reported and as much when it is cancelled.
 * Therefore one connection is read per turn, alternately from both queues, so that responses on other connections are
 * not delayed.
 */
export class ReadLines {
  readonly #fresh: Reads[] = []
  readonly #busy: Reads[] = []
  /** Whether the next read is from the queue of new connections. */
  #isFreshNext = true
  #isServed = false
  /** Whether a long turn has not been followed by short ones yet. */
  #isAfterStorm = false
  #turn = 0
  #isCounting = false

  /** Number of the current turn. */
  get turn(): number {
    if (!this.#isCounting) {
      this.#isCounting = true
      setImmediate(() => {
        this.#isCounting = false
        this.#turn++
      })
    }
    return this.#turn
  }

  /** Records that a connection opened so many streams that this turn was long. */
  storm(): void {
    this.#isAfterStorm = true
  }

  wait(reads: Reads, isFresh: boolean): void {
    const line = isFresh ? this.#fresh : this.#busy
    line.push(reads)
    this.#serve()
  }

  #serve(): void {
    const waiting = this.#fresh.length + this.#busy.length
    if (this.#isServed || waiting === 0) return
    this.#isServed = true
    after(waiting > CROWD ? TURNS_BETWEEN : 1, this.#next)
  }

  readonly #next = (): void => {
    if (this.#isAfterStorm) {
      this.#isAfterStorm = false
      after(TURNS_BETWEEN, this.#next)
      return
    }
    this.#isServed = false
    const reads = this.#isFreshNext ? (this.#fresh.shift() ?? this.#busy.shift()) : (this.#busy.shift() ?? this.#fresh.shift())
    this.#isFreshNext = !this.#isFreshNext
    reads?.go()
    this.#serve()
  }
}

/** Calls back after a number of turns. */
const after = (turns: number, callback: () => void): void => inNextTurn(turns === 1 ? callback : () => after(turns - 1, callback))

/**
 * Controls whether a connection is read. Requests that arrive in bulk on many connections are taken from one connection
 * per turn, so that others are served in between.
 */
export class Reads {
  readonly #socket: TLSSocket
  readonly #lines: ReadLines
  /** Handle of the socket. A session reads the handle directly, so pausing the socket has no effect. */
  readonly #handle: SocketHandle | undefined
  #ended = false
  /** Turn that `#streams` counts. */
  #turn = -1
  #streams = 0
  #stopped = true

  constructor(socket: TLSSocket, lines: ReadLines) {
    this.#socket = socket
    this.#lines = lines
    this.#handle = handleOf(socket)
    this.#handle?.readStop()
    lines.wait(this, true)
  }

  /** Counts a new stream. */
  began(): void {
    const now = this.#lines.turn
    if (now !== this.#turn) {
      this.#turn = now
      this.#streams = 0
    }
    if (++this.#streams === STORM_OF_STREAMS) this.#lines.storm()
    if (this.#streams < MANY_STREAMS || this.#stopped) return
    this.#stopped = true
    this.#handle?.readStop()
    this.#lines.wait(this, false)
  }

  go(): void {
    this.#stopped = false
    if (!this.#ended && !this.#socket.destroyed) this.#handle?.readStart()
  }

  /** Stops reading for good, after the connection has failed. */
  end(): void {
    this.#ended = true
    this.#handle?.readStop()
  }
}
