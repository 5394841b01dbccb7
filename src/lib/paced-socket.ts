import type { Socket } from 'node:net'
import { inNextTurn, turnIsSpent } from './turn.ts'

/** Bytes of a connection that are handed on at once: a parser takes some milliseconds for them at worst. */
const PIECE_BYTES = 8 * 1024

/** The turns by which a connection is read. */
export interface ReadingTurns {
  isSpent(): boolean
  inNext(callback: () => void): void
}

const SHARED: ReadingTurns = { isSpent: turnIsSpent, inNext: inNextTurn }

export interface PaceOptions {
  /** Default: 8 KiB. */
  readonly pieceBytes?: number
  /** Default: those of the process. */
  readonly turns?: ReadingTurns
}

const paced = new WeakSet<Socket>()

/**
 * Has a connection read at the pace of the event loop's turns, in small pieces, whatever reads it: a parser of HTTP, a pipe, a listener. Without it the system hands over up to 2 MiB of one connection in one turn,
 * all of which is parsed before anything else runs. When the turn is spent, the rest waits for a later one, and the connection is not read meanwhile. A second call for the same connection does nothing.
 * `socket` must be read by Node's streams, not by native code as HTTP/2 of Node and a TLS connection over it are.
 */
export function paceReads(socket: Socket, options: PaceOptions = {}): void {
  if (paced.has(socket)) return
  paced.add(socket)
  new PacedSocket(socket, options).install()
}

/** Stands between what the system has read of a connection and the stream that hands it on: `push` and `_read`, by which Node's own implementation of a socket speaks to its stream. */
class PacedSocket {
  readonly #socket: Socket
  readonly #pieceBytes: number
  readonly #turns: ReadingTurns
  readonly #push: Socket['push']
  readonly #read: Socket['_read']
  /** Bytes that the stream has not received yet. */
  #held: Buffer[] = []
  /** The other side has ended, behind what is held. */
  #hasEnded = false
  /** The stream takes more. */
  #isWanted = true
  #isWaiting = false
  #isGiving = false

  constructor(socket: Socket, { pieceBytes = PIECE_BYTES, turns = SHARED }: PaceOptions) {
    this.#socket = socket
    this.#pieceBytes = pieceBytes
    this.#turns = turns
    this.#push = socket.push.bind(socket)
    this.#read = socket._read.bind(socket)
  }

  install(): void {
    const socket = this.#socket
    socket.push = (chunk: unknown): boolean => this.#take(chunk)
    socket._read = (size: number): void => {
      this.#isWanted = true
      if (this.#held.length === 0) this.#read(size)
      else this.#give()
    }
    // While it is paused, at most one piece is in the stream's buffer: all of that is parsed at once when it goes on.
    socket.on('resume', () => process.nextTick(() => this.#give()))
  }

  /** False: nothing more is to be read of the connection for now. */
  #take(chunk: unknown): boolean {
    if (chunk === null && this.#held.length > 0) {
      this.#hasEnded = true
      return false
    }
    if (!Buffer.isBuffer(chunk)) return this.#push(chunk)
    this.#held.push(chunk)
    this.#give()
    return this.#isWanted && this.#held.length === 0
  }

  #give(): void {
    // Parsers are called by `push`, and may have the stream read again.
    if (this.#isGiving || this.#isWaiting) return
    this.#isGiving = true
    while (this.#isWanted && this.#held.length > 0 && !this.#isParked) {
      if (this.#turns.isSpent()) {
        this.#isWaiting = true
        this.#turns.inNext(this.#goOn)
        break
      }
      this.#giveOne()
    }
    this.#isGiving = false
  }

  #giveOne(): void {
    const [chunk] = this.#held
    if (chunk === undefined) return
    if (chunk.length > this.#pieceBytes) this.#held[0] = chunk.subarray(this.#pieceBytes)
    else this.#held.shift()
    this.#isWanted = false
    if (this.#push(chunk.subarray(0, this.#pieceBytes))) this.#isWanted = true
    if (this.#held.length > 0) return
    if (this.#hasEnded) {
      this.#push(null)
      this.#socket.read(0)
    } else if (this.#isWanted) this.#read(this.#pieceBytes)
  }

  readonly #goOn = (): void => {
    this.#isWaiting = false
    if (this.#socket.destroyed) this.#held = []
    else this.#give()
  }

  /** The stream is paused with a piece in its buffer: `resume` goes on. */
  get #isParked(): boolean {
    const socket = this.#socket
    return socket.readableLength > 0 && socket.isPaused() && socket.listenerCount('readable') === 0
  }
}
