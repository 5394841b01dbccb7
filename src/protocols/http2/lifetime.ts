import type { TLSSocket } from 'node:tls'
import { Progress } from '../../lib/progress.ts'
import { type ConnectionLimits, FAREWELL_MS, GOAWAY_MS, PREFACE_MS } from './limits.ts'

/** What is looked at of a connection. */
export interface ConnectionState {
  /** The preface and the first settings have come. */
  readonly settled: boolean
  readonly streams: number
  /** The latest stream that began. */
  readonly lastStream: number
  /** The stream of a header block that has not ended; 0: none. */
  readonly openBlock: number
  /** The client was asked to go. */
  readonly leaving: boolean
  /** A write that the kernel has not taken yet. */
  readonly writing: boolean
  /** Writes that were taken. */
  readonly writes: number
}

export type Verdict = 'keep' | 'leave' | 'cut'

/** Decides when a connection has taken too long over something. It is looked at about once a second: none of the times needs to be exact. */
export class Lifetime {
  private readonly limits: ConnectionLimits
  private readonly opening = new Progress()
  private readonly headers = new Progress()
  private readonly writing = new Progress()
  private readonly idle = new Progress()
  private readonly going = new Progress()
  private lastStream = 0
  private openBlock = 0
  private writes = 0

  constructor(limits: ConnectionLimits) {
    this.limits = limits
  }

  /** `leave`: the client is to be asked to go. `cut`: the connection is to be closed without a word. */
  look(now: number, { settled, streams, lastStream, openBlock, leaving, writing, writes }: ConnectionState): Verdict {
    const { headersMs, stalledMs, idleMs } = this.limits
    const begun = lastStream !== this.lastStream
    const late =
      this.opening.stalledFor(now, !settled, false) > PREFACE_MS ||
      this.headers.stalledFor(now, openBlock !== 0, openBlock !== this.openBlock) > headersMs ||
      this.writing.stalledFor(now, writing, writes !== this.writes) > stalledMs ||
      this.going.stalledFor(now, leaving && streams === 0 && !writing, false) > GOAWAY_MS
    const idle = this.idle.stalledFor(now, streams === 0, begun) > idleMs
    this.lastStream = lastStream
    this.openBlock = openBlock
    this.writes = writes
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

/** Destroys a connection that has said its last, once the client has had time to end it, too. */
export function destroySoon(socket: TLSSocket): void {
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
}
