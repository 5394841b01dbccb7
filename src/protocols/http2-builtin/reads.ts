import type { TLSSocket } from 'node:tls'
import { handleOf, type SocketHandle } from '../../lib/socket-handle.ts'
import { inNextTurn } from '../../lib/turn.ts'

/** Streams that one turn of the event loop brings on a connection: with more of them it is read no more, until it has its turn. An ordinary client begins some at once. */
const MANY_STREAMS = 32

/** With so many streams a turn is long: one connection alone may bring 1,800 that it gives up at once, which take 0.1 s. */
const STORM_OF_STREAMS = 256

/** With more connections in line than this, or after a storm, a turn that has one read is followed by others that have none: an answer takes some turns, of which only one is long then. */
const CROWD = 8
const TURNS_BETWEEN = 6

/**
 * Connections of a port that are not read, in two lines: those that are new, and those that have brought many streams at once. One read may bring five hundred, of which each costs 30 µs before anybody
 * knows of it, and as much again when it is given up: so a turn has one connection read, of either line in turn. An answer that takes some turns has them soon.
 */
export class ReadLines {
  readonly #fresh: Reads[] = []
  readonly #busy: Reads[] = []
  /** Which line has its turn. */
  #isFreshNext = true
  #isServed = false
  /** A turn was long, and no others have followed it yet. */
  #isAfterStorm = false
  #turn = 0
  #isCounting = false

  /** The number of this turn. */
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

  /** A connection has brought so many streams in this turn that it was long. */
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

/** Calls back so many turns later. */
const after = (turns: number, callback: () => void): void => inNextTurn(turns === 1 ? callback : () => after(turns - 1, callback))

/** Whether a connection is read. A storm of requests over many connections is taken from one or two of them a turn, so that others have theirs. */
export class Reads {
  readonly #socket: TLSSocket
  readonly #lines: ReadLines
  /** A session of Node's has the connection read for itself, so that to pause the socket does nothing. */
  readonly #handle: SocketHandle | undefined
  #ended = false
  /** Of the streams of this turn. */
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

  /** A stream has begun. */
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

  /** The connection has failed: nothing is read any more. */
  end(): void {
    this.#ended = true
    this.#handle?.readStop()
  }
}
