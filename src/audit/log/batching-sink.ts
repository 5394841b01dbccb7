import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../lib/log.ts'
import { TokenBucket } from '../../lib/token-bucket.ts'
import type { AuditMetrics } from '../metrics.ts'
import type { AuditSink, WrittenEvent } from '../sink.ts'
import { writeEvent } from './blocking-sink.ts'
import type { LineWriter } from './line-writer.ts'

export interface BatchOptions {
  /** Events that wait at most; those that come then are lost. */
  readonly bufferSize: number
  /** Events of a batch. */
  readonly maxSize: number
  /** How long a batch waits for more, where it may have more than one. */
  readonly maxWaitMs: number
  /** Batches a second, and how many at once where fewer were written before; undefined: as many as there are. */
  readonly throttle: { readonly qps: number; readonly burst: number } | undefined
}

/** Bytes that wait or are written at most: ten thousand events may have bodies of megabytes each. */
const MAX_BYTES = 256 * 1024 * 1024
/** Between two looks whether a batch may be written. */
const THROTTLE_MS = 10
const LOST = 'audit buffer queue blocked'

/** The mode batch: requests wait for nothing, and events are lost where they come faster than they are written. */
export class BatchingSink implements AuditSink {
  readonly waits = false
  private readonly parts: { readonly writer: LineWriter; readonly metrics: AuditMetrics; readonly log: Logger }
  private readonly options: BatchOptions
  private readonly bucket: TokenBucket | undefined
  private readonly queue: WrittenEvent[] = []
  private bytes = 0
  private losing = false
  private closed = false
  private running: Promise<void> | undefined
  private wake: (() => void) | undefined

  constructor(parts: BatchingSink['parts'], options: BatchOptions) {
    this.parts = parts
    this.options = options
    this.bucket = options.throttle && new TokenBucket(options.throttle.burst, options.throttle.qps)
  }

  async process(event: WrittenEvent): Promise<boolean> {
    if (this.closed) this.lose(event, 'audit backend shut down')
    else if (this.queue.length >= this.options.bufferSize || this.bytes + event.line.length > MAX_BYTES) this.lose(event, LOST)
    else {
      this.losing = false
      this.queue.push(event)
      this.bytes += event.line.length
      if (this.queue.length >= this.options.maxSize) this.wake?.()
      this.running ??= this.run()
    }
    return true
  }

  async close(): Promise<void> {
    this.closed = true
    this.wake?.()
    await this.running
    await this.parts.writer.close()
  }

  /** Each is counted; of those that are lost one after the other, the first is logged. */
  private lose(event: WrittenEvent, why: string): void {
    const { metrics, log } = this.parts
    metrics.failed('buffered', 1)
    if (!this.losing) log.error("Error in audit plugin 'buffered' affecting audit events", { error: why, event: event.told() })
    this.losing = true
  }

  private async run(): Promise<void> {
    while (this.queue.length > 0) {
      await this.fill()
      while (this.bucket?.take() === false && !this.closed) await sleep(THROTTLE_MS)
      const batch = this.queue.splice(0, this.options.maxSize)
      await Promise.all(batch.map(event => writeEvent(this.parts, event)))
      for (const { line } of batch) this.bytes -= line.length
    }
    // In the same moment: an event that comes next must find nobody who takes it.
    this.running = undefined
  }

  /** Waits until there is a whole batch, or its time is over. */
  private async fill(): Promise<void> {
    const { maxSize, maxWaitMs } = this.options
    if (maxSize <= 1 || this.queue.length >= maxSize || this.closed) return
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, maxWaitMs)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.wake = undefined
  }
}
