import type { Duplex } from 'node:stream'
import { inNextTurn, turnIsSpent } from './turn.ts'

const NOTHING = Buffer.alloc(0)
/** After so many steps of a parser the clock is looked at. */
const STEPS = 64

/** Takes bytes, after those that it has kept. */
export interface PacedReader {
  /** `all`: however long it takes. */
  push(bytes: Buffer, all?: boolean): void
  /** Some of what has come waits for another turn of the event loop. */
  readonly isBehind: boolean
}

/** Reads a protocol step by step, a frame or a part of one, and keeps what is not enough for a step. */
export abstract class PacedParser implements PacedReader {
  /** The beginning of a frame. */
  #waiting: Buffer = NOTHING
  #over = false
  #isBehind = false

  /** Reads from the beginning of these bytes, of which there are some. Returns how many it has taken; undefined where more are needed. */
  protected abstract step(bytes: Buffer): number | undefined

  /** Nothing more is read, not even of what is being pushed. */
  stop(): void {
    this.#over = true
    this.#isBehind = false
    this.#waiting = NOTHING
  }

  get isBehind(): boolean {
    return this.#isBehind
  }

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

/** Hands what a connection brings to its reader, as fast as the reader goes on and the owner wants it: a packet of ten thousand frames is not read in one turn. */
export class PacedReading {
  readonly #socket: Duplex
  readonly #reader: PacedReader
  #held = false
  #waits = false

  constructor(socket: Duplex, reader: PacedReader) {
    this.#socket = socket
    this.#reader = reader
  }

  /** `head` is what has come before. */
  start(head: Buffer): void {
    const all = (): void => this.#reader.push(NOTHING, true)
    this.#socket
      .on('data', data => this.#read(data))
      .on('error', all)
      .on('close', all)
    this.#read(head)
  }

  /** Reads no more of the connection until `release`. */
  hold(): void {
    this.#held = true
    this.#socket.pause()
  }

  release(): void {
    this.#held = false
    if (!this.#waits) this.#socket.resume()
  }

  #read(bytes: Buffer): void {
    this.#reader.push(bytes)
    if (!this.#reader.isBehind || this.#waits) return
    this.#waits = true
    this.#socket.pause()
    inNextTurn(() => this.#goOn())
  }

  #goOn(): void {
    this.#waits = false
    this.#read(NOTHING)
    if (!this.#waits && !this.#held) this.#socket.resume()
  }
}
