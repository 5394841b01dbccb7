import { after } from '../lib/awaitable.ts'
import { Backlog } from '../lib/backlog.ts'
import { SharedBytes } from '../lib/shared-bytes.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import { WATCH_EVENT_TYPES } from '../meta/watch-event-types.ts'
import type { StorageEvent } from '../storage/storage.ts'
import type { StreamWriter } from './exchange.ts'
import type { Framing } from './forms/framing.ts'
import { type FramedBatch, frameInto, frameOf, SharedFrames } from './shared-frames.ts'
import type { WatchMeter } from './watch-metrics.ts'

/**
 * Unwritten bytes beyond which the writer waits for the client. Later events wait in the watch's queue, which is
 * bounded.
 */
const PACE_BYTES = 768 * 1024
/** Maximum bytes of a write. Joining more frames would only take memory. */
const WRITE_BYTES = 1 << 20
/** Maximum bytes of a write while many clients are slow: two TLS records, framing included. */
const SHORT_WRITE_BYTES = 32_000
/** Milliseconds without progress after which the client counts as stalled. */
const STALLED_MS = 5_000

/** Batches of one watcher with at least this many events are framed directly into the write buffer. */
const OWN_EVENTS = 8

/** State that all watches of a server share: frames, and the limit on what waits for slow clients. */
export class WatchOutput {
  readonly frames = new SharedFrames()
  /** Unwritten bytes of slow clients. The more clients are slow, the less each may have. */
  readonly backlog = new Backlog({ budget: 24 << 20, most: PACE_BYTES, least: 16 * 1024 })
}

/** `output` is shared by all watches of the server. `meter` is undefined if nothing counts the events. */
export interface WatchWriterOptions {
  readonly writer: StreamWriter
  readonly framing: Framing
  readonly output: WatchOutput
  readonly meter: WatchMeter | undefined
  /** Aborted when the watch is over. */
  readonly signal: AbortSignal
}

/** Writes the events of a watch at the pace of its client. */
export class WatchWriter {
  readonly #writer: StreamWriter
  readonly #framing: Framing
  readonly #output: WatchOutput
  readonly #meter: WatchMeter | undefined
  readonly #signal: AbortSignal

  constructor({ writer, framing, output, meter, signal }: WatchWriterOptions) {
    this.#writer = writer
    this.#framing = framing
    this.#output = output
    this.#meter = meter
    this.#signal = signal
  }

  /**
   * Writes a batch. Returns false if the stream has ended or should end, as before the first event that the form cannot
   * represent. `own`: no other watcher receives the batch.
   */
  write(batch: readonly StorageEvent[], own: boolean): boolean | Promise<boolean> {
    return this.#framing.prepare === undefined ? this.#writeReady(batch, own) : this.#writePrepared(batch, own)
  }

  /** Writes the events before each large object, then makes its frame and continues with it. */
  async #writePrepared(batch: readonly StorageEvent[], own: boolean): Promise<boolean> {
    let from = 0
    for (const [i, event] of batch.entries()) {
      const make = event.type === 'bookmark' ? undefined : this.#framing.prepare?.(WATCH_EVENT_TYPES[event.type], event.object)
      if (make === undefined) continue
      if (i > from && !(await this.#writeReady(batch.slice(from, i), own))) return false
      await make()
      from = i
    }
    return this.#writeReady(from === 0 ? batch : batch.slice(from), own)
  }

  #writeReady(batch: readonly StorageEvent[], own: boolean): boolean | Promise<boolean> {
    if (own && batch.length >= OWN_EVENTS && this.#writer.writeFilled !== undefined) return this.#writeOwn(batch)
    return after(this.#output.frames.of(this.#framing, batch), framed => this.#writeFramed(framed, batch))
  }

  /** Writes a framed batch. Returns false if the form could not represent all of its events. */
  #writeFramed(framed: FramedBatch, batch: readonly StorageEvent[]): boolean | Promise<boolean> {
    const { backlog } = this.#output
    this.#meter?.sent(framed)
    const isShort = framed.bytes > SHORT_WRITE_BYTES && backlog.limit < PACE_BYTES
    const written = this.#writeParts(framed.parts(isShort ? SHORT_WRITE_BYTES : WRITE_BYTES))
    if (framed.frames.length === batch.length) return written
    return Promise.resolve(written).then(() => false)
  }

  /** Whether the watch is open, was written to, and its client does not read. */
  get isStalled(): boolean {
    return this.#writer.open && !this.#signal.aborted && this.#writer.unwritten > PACE_BYTES
  }

  /** Writes parts, and waits after each while the client is slow. */
  #writeParts(parts: readonly SharedBytes[]): boolean | Promise<boolean> {
    const first = parts[0]
    if (first === undefined) return true
    if (parts.length > 1) return this.#writeOneByOne(parts)
    if (!this.#writer.write(first)) return false
    return !this.#output.backlog.exceeds(this.#writer) || this.#untilTaken()
  }

  async #writeOneByOne(parts: readonly SharedBytes[]): Promise<boolean> {
    for (const part of parts) {
      if (!this.#writer.write(part)) return false
      if (this.#output.backlog.exceeds(this.#writer) && !(await this.#untilTaken())) return false
    }
    return true
  }

  /** Writes frames into a reused buffer, so that a hundred thousand initial events leave no garbage. */
  async #writeOwn(batch: readonly StorageEvent[]): Promise<boolean> {
    const writer = this.#writer
    let next = 0
    /** A frame that did not fit the buffer. */
    let left: Buffer | undefined
    let shown = true
    const fill = (memory: Buffer): number => {
      let at = 0
      for (; next < batch.length; next++) {
        const event = batch[next]
        if (event === undefined) break
        let end = left === undefined ? frameInto(this.#framing, event, memory, at) : 0
        const isMade = end === 0
        if (isMade) {
          left ??= frameOf(this.#framing, event)
          shown = left !== undefined
          if (left === undefined || at + left.length > memory.length) break
          end = at + left.copy(memory, at)
          left = undefined
        }
        this.#meter?.sentOne(end - at)
        at = end
        if (isMade && turnIsLong()) {
          next++
          break
        }
      }
      return at
    }
    while (next < batch.length) {
      const before = next
      if (!writer.writeFilled?.(fill) || !shown) return false
      if (next === before && left !== undefined) {
        // The frame is longer than the buffer.
        this.#meter?.sentOne(left.length)
        if (!writer.write(new SharedBytes([left]))) return false
        left = undefined
        next++
      }
      if (this.#output.backlog.exceeds(writer) && !(await this.#untilTaken())) return false
      if (turnIsLong()) await nextLongTurn()
    }
    return true
  }

  /** Waits until the client reads. Resolves with false if it has read nothing for too long, or the watch has ended. */
  #untilTaken(): Promise<boolean> {
    const writer = this.#writer
    const signal = this.#signal
    if (signal.aborted) return Promise.resolve(false)
    return new Promise(resolve => {
      let before = writer.unwritten
      const finish = (goesOn: boolean): void => {
        clearInterval(timer)
        signal.removeEventListener('abort', onAbort)
        resolve(goesOn)
      }
      const onAbort = (): void => finish(false)
      const timer = setInterval(() => {
        if (writer.unwritten >= before) finish(false)
        before = writer.unwritten
      }, STALLED_MS).unref()
      signal.addEventListener('abort', onAbort)
      void writer.drained().then(() => finish(writer.open))
    })
  }
}
