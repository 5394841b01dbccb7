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
/** Bytes of an end that gets the longer time. */
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

  /** Whether writes are still accepted. */
  get open(): boolean {
    return !this.#ended && !this.#wire.closed
  }

  get unwritten(): number {
    return this.#wire.unwritten
  }

  /** Writes a frame. Returns false if the stream is closed, which it also is if the client does not keep up. */
  write(bytes: SharedBytes): boolean {
    if (!this.#mayWrite()) return false
    if (bytes.length > 0) this.bytes += this.#wire.frame(bytes)
    return true
  }

  /** Writes a frame that `fill` encodes into pooled memory. `fill` returns the number of bytes; 0 writes nothing. */
  writeFilled(fill: (memory: Buffer) => number): boolean {
    if (!this.#mayWrite()) return false
    const memory = this.#memory.take()
    const filled = fill(memory.subarray(FRAME_MARGIN, memory.length - FRAME_MARGIN))
    if (filled > 0) this.bytes += this.#wire.frameIn(memory, FRAME_MARGIN, FRAME_MARGIN + filled, () => this.#memory.give(memory))
    else this.#memory.give(memory)
    return true
  }

  /** Reports whether the stream is open. Disconnects a client with more than MAX_UNWRITTEN bytes. */
  #mayWrite(): boolean {
    if (!this.open) return false
    if (this.#wire.unwritten <= MAX_UNWRITTEN) return true
    this.#ended = true
    this.#wire.destroy()
    return false
  }

  /** Resolves when the buffers are empty, or the stream is closed. */
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

  /** Ends the body, and gives the last bytes some time to be delivered. */
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
