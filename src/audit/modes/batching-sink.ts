import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { TokenBucket } from '../../lib/token-bucket.ts'
import type { AuditMetrics } from '../metrics.ts'
import type { AuditBackend, AuditSink, WrittenEvent } from '../sink.ts'

/** Flags `--audit-log-batch-…` and `--audit-webhook-batch-…`. */
export interface BatchOptions {
  /** Maximum number of waiting events. Further ones are dropped. */
  readonly bufferSize: number
  /** Maximum number of events in a batch. */
  readonly maxSize: number
  /** Maximum time between two batches of several events: an incomplete batch is written then. */
  readonly maxWaitMs: number
  /** Batches per second, and burst. Undefined if there is no limit. */
  readonly throttle: { readonly qps: number; readonly burst: number } | undefined
}

/** A backend that receives one batch after the other, or several at a time. */
export interface BatchingParts {
  readonly backend: AuditBackend
  /** Number of batches that are written concurrently. */
  readonly concurrency: number
  readonly metrics: AuditMetrics
  readonly log: Logger
  readonly clock: Clock
}

/** Maximum bytes of waiting and written events: ten thousand events may have bodies of megabytes each. */
const MAX_BYTES = 256 * 1024 * 1024
/** Measured memory of an event besides its bytes and its summary. */
const BESIDE_EVENT = 2 * 1024
/** Maximum bytes of a batch of several events. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024
/** Milliseconds between two checks whether the throttle allows a batch. */
const THROTTLE_MS = 10
const LOST = 'audit buffer queue blocked'

const eventSize = ({ line, summary }: WrittenEvent): number => line.length + summary.bytes + BESIDE_EVENT

/** The mode batch: requests do not wait, and events are dropped if they come faster than they are written. */
export class BatchingSink implements AuditSink {
  readonly waits = false
  readonly #parts: BatchingParts
  readonly #options: BatchOptions
  readonly #bucket: TokenBucket | undefined
  readonly #queue: WrittenEvent[] = []
  readonly #underWay = new Set<Promise<void>>()
  /** Time at which the last batch was taken, or would have been if there were events for it. */
  #began: number
  #bytes = 0
  #losing = false
  #closed = false
  #running: Promise<void> | undefined
  #wake: (() => void) | undefined

  constructor(parts: BatchingParts, options: BatchOptions) {
    this.#parts = parts
    this.#options = options
    this.#began = parts.clock.now()
    this.#bucket = options.throttle && new TokenBucket(options.throttle.burst, options.throttle.qps, parts.clock)
  }

  /** Queues an event, or drops it if the buffer is full. Resolves immediately. */
  async process(event: WrittenEvent): Promise<boolean> {
    if (this.#closed) this.#lose(event, 'audit backend shut down')
    else if (this.#queue.length >= this.#options.bufferSize || this.#bytes + eventSize(event) > MAX_BYTES) this.#lose(event, LOST)
    else {
      this.#losing = false
      this.#queue.push(event)
      this.#bytes += eventSize(event)
      if (this.#queue.length >= this.#options.maxSize) this.#wake?.()
      this.#running ??= this.#run()
    }
    return true
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#wake?.()
    await this.#running
    await Promise.all(this.#underWay)
    await this.#parts.backend.close()
  }

  /** Counts a dropped event. Of consecutive ones, only the first is logged. */
  #lose(event: WrittenEvent, why: string): void {
    const { metrics, log } = this.#parts
    metrics.failed('buffered', 1)
    if (!this.#losing) log.error("Error in audit plugin 'buffered' affecting audit events", { error: why, event: event.summary.text() })
    this.#losing = true
  }

  /**
   * Takes batches from the queue until it is empty. Batches are written concurrently, as far as throttle and
   * concurrency allow.
   */
  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#fill()
      while (this.#bucket?.take() === false && !this.#closed) await sleep(THROTTLE_MS)
      while (this.#underWay.size >= this.#parts.concurrency) await Promise.race(this.#underWay)
      const batch = this.#queue.splice(0, this.#batchSize())
      this.#began = this.#parts.clock.now()
      const written = this.#write(batch).finally(() => this.#underWay.delete(written))
      this.#underWay.add(written)
    }
    // Reset in the same tick as the check above: the next event starts a new run.
    this.#running = undefined
  }

  async #write(batch: readonly WrittenEvent[]): Promise<void> {
    await this.#parts.backend.write(batch)
    for (const event of batch) this.#bytes -= eventSize(event)
  }

  /** Returns how many of the first events make a batch: one or more. */
  #batchSize(): number {
    let bytes = 0
    let count = 0
    for (const { line } of this.#queue) {
      bytes += line.length
      if (count === this.#options.maxSize || (count > 0 && bytes > MAX_BATCH_BYTES)) break
      count++
    }
    return count
  }

  /** Waits until a batch is complete or its time is over. Without events, these times follow each other. */
  async #fill(): Promise<void> {
    const { maxSize, maxWaitMs } = this.#options
    if (maxSize <= 1 || this.#queue.length >= maxSize || this.#closed) return
    const waited = this.#parts.clock.now() - this.#began
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, maxWaitMs === 0 ? 0 : maxWaitMs - (waited % maxWaitMs))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
  }
}
