import type { Duplex } from 'node:stream'
import { inNextTurn, turnIsSpent } from './turn.ts'

/** Pushed to continue with bytes that were received before. */
const NOTHING = Buffer.alloc(0)
/** Parser steps between readings of the clock. */
const STEPS = 64

/** Receives the bytes of a connection and buffers incomplete input. */
export interface PacedReader {
  /** `all`: process the bytes in this turn, however long it takes. */
  push(bytes: Buffer, all?: boolean): void
  /** Whether received bytes wait for another turn of the event loop. */
  readonly isBehind: boolean
}

/** Parses a protocol in steps of a frame or part of one, and buffers an incomplete step. */
export abstract class PacedParser implements PacedReader {
  /** Beginning of an incomplete frame. */
  #waiting: Buffer = NOTHING
  #over = false
  #isBehind = false

  /**
   * Parses from the beginning of the bytes, which are not empty. Returns how many it consumed; undefined if it needs
   * more.
   */
  protected abstract step(bytes: Buffer): number | undefined

  /** Stops parsing. The rest of the bytes being pushed is dropped. */
  stop(): void {
    this.#over = true
    this.#isBehind = false
    this.#waiting = NOTHING
  }

  get isBehind(): boolean {
    return this.#isBehind
  }

  /** Parses as many steps as the turn has time for. The rest waits for another call. */
  push(data: Buffer, all = false): void {
    if (this.#over) return
    let rest = this.#waiting.length === 0 ? data : data.length === 0 ? this.#waiting : Buffer.concat([this.#waiting, data])
    this.#isBehind = false
    for (let steps = 1; !this.#over && rest.length > 0; steps++) {
      const taken = this.step(rest)
      if (taken === undefined) break
      rest = rest.subarray(taken)
      if (!all && steps % STEPS === 0 && turnIsSpent()) {
        this.#isBehind = !this.#over && rest.length > 0
        break
      }
    }
    this.#waiting = this.#over ? NOTHING : rest
  }
}

/**
 * Passes the bytes of a connection to its reader, at the pace of the reader and of the owner. A packet of ten thousand
 * frames is read in several turns.
 */
export class PacedReading {
  readonly #socket: Duplex
  readonly #reader: PacedReader
  #held = false
  #waits = false

  constructor(socket: Duplex, reader: PacedReader) {
    this.#socket = socket
    this.#reader = reader
  }

  /** Starts reading. `head`: bytes received earlier. */
  start(head: Buffer): void {
    const all = (): void => this.#reader.push(NOTHING, true)
    this.#socket
      .on('data', data => this.#read(data))
      .on('error', all)
      .on('close', all)
    this.#read(head)
  }

  /** Pauses the connection until `release`. */
  hold(): void {
    this.#held = true
    this.#socket.pause()
  }

  /** The connection stays paused while received bytes wait for another turn. */
  release(): void {
    this.#held = false
    if (!this.#waits) this.#socket.resume()
  }

  /** Pauses the connection if the reader is behind, so that no more bytes are buffered. */
  #read(bytes: Buffer): void {
    this.#reader.push(bytes)
    if (!this.#reader.isBehind || this.#waits) return
    this.#waits = true
    this.#socket.pause()
    inNextTurn(() => this.#goOn())
  }

  /** Continues in a later turn. */
  #goOn(): void {
    this.#waits = false
    this.#read(NOTHING)
    if (!this.#waits && !this.#held) this.#socket.resume()
  }
}
