import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { TokenBucket } from '../../lib/token-bucket.ts'
import type { AuditMetrics } from '../metrics.ts'
import type { AuditBackend, AuditSink, WrittenEvent } from '../sink.ts'

export interface BatchOptions {
  /** Events that wait at most; those that come then are lost. */
  readonly bufferSize: number
  /** Events of a batch. */
  readonly maxSize: number
  /** Between two batches, where one may have several events: it is written then, though it may have more. */
  readonly maxWaitMs: number
  /** Batches a second, and how many at once where fewer were written before; undefined: as many as there are. */
  readonly throttle: { readonly qps: number; readonly burst: number } | undefined
}

export interface BatchingParts {
  readonly backend: AuditBackend
  /** Batches that are written side by side. */
  readonly concurrency: number
  readonly metrics: AuditMetrics
  readonly log: Logger
  readonly clock: Clock
}

/** Bytes that wait or are written at most: ten thousand events may have bodies of megabytes each. */
const MAX_BYTES = 256 * 1024 * 1024
/** For each event, beside its bytes and its summary. Measured. */
const BESIDE_EVENT = 2 * 1024
/** Of a batch that has more than one event. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024
/** Between two looks whether a batch may be written. */
const THROTTLE_MS = 10
const LOST = 'audit buffer queue blocked'

const sizeOf = ({ line, summary }: WrittenEvent): number => line.length + summary.bytes + BESIDE_EVENT

/** The mode batch: requests wait for nothing, and events are lost where they come faster than they are written. */
export class BatchingSink implements AuditSink {
  readonly waits = false
  private readonly parts: BatchingParts
  private readonly options: BatchOptions
  private readonly bucket: TokenBucket | undefined
  private readonly queue: WrittenEvent[] = []
  private readonly underWay = new Set<Promise<void>>()
  /** When the batch before was handed over, or with no events for it, when the first would have been. */
  private began: number
  private bytes = 0
  private losing = false
  private closed = false
  private running: Promise<void> | undefined
  private wake: (() => void) | undefined

  constructor(parts: BatchingParts, options: BatchOptions) {
    this.parts = parts
    this.options = options
    this.began = parts.clock.now()
    this.bucket = options.throttle && new TokenBucket(options.throttle.burst, options.throttle.qps, parts.clock)
  }

  async process(event: WrittenEvent): Promise<boolean> {
    if (this.closed) this.lose(event, 'audit backend shut down')
    else if (this.queue.length >= this.options.bufferSize || this.bytes + sizeOf(event) > MAX_BYTES) this.lose(event, LOST)
    else {
      this.losing = false
      this.queue.push(event)
      this.bytes += sizeOf(event)
      if (this.queue.length >= this.options.maxSize) this.wake?.()
      this.running ??= this.run()
    }
    return true
  }

  async close(): Promise<void> {
    this.closed = true
    this.wake?.()
    await this.running
    await Promise.all(this.underWay)
    await this.parts.backend.close()
  }

  /** Each is counted; of those that are lost one after the other, the first is logged. */
  private lose(event: WrittenEvent, why: string): void {
    const { metrics, log } = this.parts
    metrics.failed('buffered', 1)
    if (!this.losing) log.error("Error in audit plugin 'buffered' affecting audit events", { error: why, event: event.summary.text() })
    this.losing = true
  }

  private async run(): Promise<void> {
    while (this.queue.length > 0) {
      await this.fill()
      while (this.bucket?.take() === false && !this.closed) await sleep(THROTTLE_MS)
      while (this.underWay.size >= this.parts.concurrency) await Promise.race(this.underWay)
      const batch = this.queue.splice(0, this.batchSize())
      this.began = this.parts.clock.now()
      const written = this.write(batch).finally(() => this.underWay.delete(written))
      this.underWay.add(written)
    }
    // In the same moment: an event that comes next must find nobody who takes it.
    this.running = undefined
  }

  private async write(batch: readonly WrittenEvent[]): Promise<void> {
    await this.parts.backend.write(batch)
    for (const event of batch) this.bytes -= sizeOf(event)
  }

  /** How many of the first events make a batch: one at least. */
  private batchSize(): number {
    let bytes = 0
    let count = 0
    for (const { line } of this.queue) {
      bytes += line.length
      if (count === this.options.maxSize || (count > 0 && bytes > MAX_BATCH_BYTES)) break
      count++
    }
    return count
  }

  /** Waits until there is a whole batch, or its time is over. Where nothing came, one time was over after the other. */
  private async fill(): Promise<void> {
    const { maxSize, maxWaitMs } = this.options
    if (maxSize <= 1 || this.queue.length >= maxSize || this.closed) return
    const waited = this.parts.clock.now() - this.began
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, maxWaitMs === 0 ? 0 : maxWaitMs - (waited % maxWaitMs))
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.wake = undefined
  }
}
