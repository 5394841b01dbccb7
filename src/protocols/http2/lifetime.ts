import type { TLSSocket } from 'node:tls'
import { Progress } from '../../lib/progress.ts'
import { type ConnectionLimits, FAREWELL_MS, GOAWAY_MS, PREFACE_MS } from './limits.ts'

/** State of a connection at a check. */
export interface ConnectionState {
  /** Whether the preface and the first settings have arrived. */
  readonly settled: boolean
  readonly streams: number
  /** Id of the latest stream. */
  readonly lastStream: number
  /** Stream of an incomplete header block, or 0. */
  readonly openBlock: number
  /** Whether GOAWAY was sent. */
  readonly leaving: boolean
  /** Whether the kernel has not accepted a write yet. */
  readonly writing: boolean
  /** Number of writes that were accepted. */
  readonly writes: number
}

export type ConnectionVerdict = 'keep' | 'leave' | 'cut'

/**
 * Decides when a connection has exceeded a time limit. Checked about once a second, because no limit needs to be exact.
 */
export class Lifetime {
  readonly #limits: ConnectionLimits
  readonly #opening = new Progress()
  readonly #headers = new Progress()
  readonly #writing = new Progress()
  readonly #idle = new Progress()
  readonly #going = new Progress()
  #lastStream = 0
  #openBlock = 0
  #writes = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /**
   * Checks a connection.
   * @param now milliseconds of a monotonic clock.
   * @returns `leave` to send GOAWAY, `cut` to close the connection immediately.
   */
  look(now: number, { settled, streams, lastStream, openBlock, leaving, writing, writes }: ConnectionState): ConnectionVerdict {
    const { headersMs, stalledMs, idleMs } = this.#limits
    const begun = lastStream !== this.#lastStream
    const late =
      this.#opening.stalledFor(now, !settled, false) > PREFACE_MS ||
      this.#headers.stalledFor(now, openBlock !== 0, openBlock !== this.#openBlock) > headersMs ||
      this.#writing.stalledFor(now, writing, writes !== this.#writes) > stalledMs ||
      this.#going.stalledFor(now, leaving && streams === 0 && !writing, false) > GOAWAY_MS
    const idle = this.#idle.stalledFor(now, streams === 0, begun) > idleMs
    this.#lastStream = lastStream
    this.#openBlock = openBlock
    this.#writes = writes
    if (late) return 'cut'
    return idle && !leaving ? 'leave' : 'keep'
  }
}

/** Ends a connection after these frames, whether or not the client reads them. */
export function part(socket: TLSSocket, last: readonly Buffer[] = []): void {
  for (const frame of last) socket.write(frame)
  socket.end()
  destroySoon(socket)
}

/** Destroys a connection after the client has had time to end it. */
export function destroySoon(socket: TLSSocket): void {
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
}
