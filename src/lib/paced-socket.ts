import type { Socket } from 'node:net'
import { inNextTurn, turnIsSpent } from './turn.ts'

/** Bytes of a connection that are passed on together. A parser takes some milliseconds for them at worst. */
const PIECE_BYTES = 8 * 1024

/** Turns in which a connection is read. */
export interface ReadingTurns {
  isSpent(): boolean
  inNext(callback: () => void): void
}

const SHARED: ReadingTurns = { isSpent: turnIsSpent, inNext: inNextTurn }

/** Options of `paceReads`. */
export interface PaceOptions {
  /** Optional. Default: 8 KiB. */
  readonly pieceBytes?: number
  /** Optional. Default: the turns of this process's event loop. */
  readonly turns?: ReadingTurns
}

const paced = new WeakSet<Socket>()

/**
 * Makes a connection be read in turns of the event loop and in small pieces, whatever its reader is: an HTTP parser, a
 * pipe or a listener. Otherwise the system passes on up to 2 MiB of one connection in a turn, which is parsed before
 * anything else runs. When the turn is spent, the rest waits for a later one and the connection is not read. A second
 * call for the same connection has no effect. `socket` must be read by Node's streams, not by native code, as Node's
 * HTTP/2 and the socket below a TLS connection are.
 */
export function paceReads(socket: Socket, options: PaceOptions = {}): void {
  if (paced.has(socket)) return
  paced.add(socket)
  new PacedSocket(socket, options).install()
}

/** Intercepts `push` and `_read`, the interface between Node's native socket and its stream. */
class PacedSocket {
  readonly #socket: Socket
  readonly #pieceBytes: number
  readonly #turns: ReadingTurns
  readonly #push: Socket['push']
  readonly #read: Socket['_read']
  /** Bytes that the stream has not received yet. */
  #held: Buffer[] = []
  /** Whether the peer has ended the connection after the held bytes. */
  #hasEnded = false
  /** Whether the stream accepts more bytes. */
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
    // While it is paused, the stream buffers at most one piece, because the whole buffer is parsed in one call when it
    // resumes.
    socket.on('resume', () => process.nextTick(() => this.#give()))
  }

  /** Takes a chunk from the system. Returns false if reading should stop for now. */
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
    // `push` calls parsers, which may make the stream read again.
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

  /** Whether the stream is paused with a piece in its buffer. `resume` continues. */
  get #isParked(): boolean {
    const socket = this.#socket
    return socket.readableLength > 0 && socket.isPaused() && socket.listenerCount('readable') === 0
  }
}
