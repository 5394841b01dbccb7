import type { Duplex } from 'node:stream'
import { inNextTurn } from './turn.ts'

const NOTHING = Buffer.alloc(0)

/** Takes bytes, after those that it has kept. */
export interface PacedReader {
  /** `all`: however long it takes. */
  push(bytes: Buffer, all?: boolean): void
  /** Some of what has come waits for another turn of the event loop. */
  readonly isBehind: boolean
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
