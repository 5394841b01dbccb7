import type { StreamWriter } from '../../endpoints/exchange.ts'
import type { BufferPool } from '../../lib/buffer-pool.ts'
import type { SharedBytes } from '../../lib/shared-bytes.ts'
import { FRAME_MARGIN, type Wire } from './wire.ts'

/** Unwritten bytes beyond which the next write closes the stream. The kernel has buffered megabytes by then. */
const MAX_UNWRITTEN = 1 << 20
/**
 * Time for the last bytes of an ended stream to reach the kernel, in milliseconds. A busy client may take seconds to
 * widen the window of its connection, and should still receive a short error.
 */
const LINGER_MS = 30_000
/** The same for more than SHORT_BYTES. */
const LONG_LINGER_MS = 5_000
const SHORT_BYTES = 64 * 1024

/**
 * Body of a watch response. It never waits for the client: a client with too many unwritten bytes is disconnected by
 * the next write, and one that does not take the last bytes in time as well.
 */
export class WireStream implements StreamWriter {
  /** Bytes that were written so far. */
  bytes = 0
  readonly #wire: Wire
  readonly #memory: BufferPool
  #ended = false
  #linger: NodeJS.Timeout | undefined
  #wake: (() => void) | undefined

  /** `memory`: buffers for `writeFilled`. */
  constructor(wire: Wire, memory: BufferPool) {
    this.#wire = wire
    this.#memory = memory
    wire.onClose(() => {
      this.#ended = true
      clearTimeout(this.#linger)
      this.#wake?.()
    })
  }

  get open(): boolean {
    return !this.#ended && !this.#wire.closed
  }

  get unwritten(): number {
    return this.#wire.unwritten
  }

  write(bytes: SharedBytes): boolean {
    if (!this.#mayWrite()) return false
    if (bytes.length > 0) this.bytes += this.#wire.frame(bytes)
    return true
  }

  writeFilled(fill: (memory: Buffer) => number): boolean {
    if (!this.#mayWrite()) return false
    const memory = this.#memory.take()
    const filled = fill(memory.subarray(FRAME_MARGIN, memory.length - FRAME_MARGIN))
    if (filled > 0) this.bytes += this.#wire.frameIn(memory, FRAME_MARGIN, FRAME_MARGIN + filled, () => this.#memory.give(memory))
    else this.#memory.give(memory)
    return true
  }

  #mayWrite(): boolean {
    if (!this.open) return false
    if (this.#wire.unwritten <= MAX_UNWRITTEN) return true
    this.#ended = true
    this.#wire.destroy()
    return false
  }

  drained(): Promise<void> {
    if (!this.open || !this.#wire.needsDrain) return Promise.resolve()
    return new Promise(resolve => {
      const done = (): void => {
        this.#wire.offDrain(done)
        this.#wake = undefined
        resolve()
      }
      this.#wake = done
      this.#wire.onDrain(done)
    })
  }

  end(): void {
    if (!this.open) return
    this.#ended = true
    this.#wire.end()
    const { unwritten } = this.#wire
    if (unwritten === 0) return
    this.#linger = setTimeout(() => this.#wire.destroy(), unwritten <= SHORT_BYTES ? LINGER_MS : LONG_LINGER_MS)
    this.#linger.unref()
  }
}
