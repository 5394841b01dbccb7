import type { TLSSocket } from 'node:tls'
import { inNextTurn } from '../../lib/turn.ts'

/** What reads a connection. A session of Node's has it read for itself, so that to pause the socket does nothing. */
interface Handle {
  readStart(): unknown
  readStop(): unknown
}

/** Streams that one turn of the event loop brings on a connection: with more of them it is read no more, until it has its turn. An ordinary client begins some at once. */
const MANY_STREAMS = 32

/**
 * Connections of a port that are not read, in two lines of which each has one connection read on a turn: those that are new, and those that have brought many streams at once. One read may bring a
 * thousand, of which each costs 30 µs before anybody knows of it.
 */
export class ReadLines {
  readonly #fresh: Reads[] = []
  readonly #busy: Reads[] = []
  #isServed = false
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

  wait(reads: Reads, isFresh: boolean): void {
    const line = isFresh ? this.#fresh : this.#busy
    line.push(reads)
    this.#serve()
  }

  #serve(): void {
    if (this.#isServed || this.#fresh.length + this.#busy.length === 0) return
    this.#isServed = true
    inNextTurn(() => {
      this.#isServed = false
      this.#fresh.shift()?.go()
      this.#busy.shift()?.go()
      this.#serve()
    })
  }
}

/** What Node reads a connection by, which its types don't have. */
const handleOf = (socket: TLSSocket): Handle | undefined => ('_handle' in socket && isHandle(socket._handle) ? socket._handle : undefined)

const isHandle = (value: unknown): value is Handle => typeof value === 'object' && value !== null && 'readStop' in value && 'readStart' in value

/** Whether a connection is read. A storm of requests over many connections is taken from one or two of them a turn, so that others have theirs. */
export class Reads {
  readonly #socket: TLSSocket
  readonly #lines: ReadLines
  readonly #handle: Handle | undefined
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
    if (++this.#streams < MANY_STREAMS || this.#stopped) return
    this.#stopped = true
    this.#handle?.readStop()
    this.#lines.wait(this, false)
  }

  go(): void {
    this.#stopped = false
    if (!this.#socket.destroyed) this.#handle?.readStart()
  }
}
