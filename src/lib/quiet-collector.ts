/** What a collector looks at and does. */
export interface Collectable {
  /** Milliseconds of CPU that the process has used. */
  cpu(): number
  /** Bytes that the heap holds, in use or not. */
  held(): number
  collect(): void
}

/** Of the time between two looks: a process that uses less is quiet. */
const QUIET_PART = 0.05
/** Looks in a row that find it quiet before garbage is collected. */
const QUIET_LOOKS = 2
/** Growth since the last collection that makes another one worthwhile. */
const WORTHWHILE = 16 << 20
/** A collection stops the process, for the longer the larger the heap: V8 alone, which does most of it in parts, collects a larger one. */
const LARGEST = 160 << 20

/**
 * Collects garbage once after a time of much work: V8 collects for what is allocated, and so keeps what a burst took for as long as little happens after it, and the young generation at its largest.
 */
export class QuietCollector {
  private readonly process: Collectable
  private readonly intervalMs: number
  private cpu: number
  private left: number
  private quietLooks = 0

  constructor(process: Collectable, intervalMs: number) {
    this.process = process
    this.intervalMs = intervalMs
    this.cpu = process.cpu()
    this.left = process.held()
  }

  /** To be called once in each interval. */
  look(): void {
    const cpu = this.process.cpu()
    const isQuiet = cpu - this.cpu < this.intervalMs * QUIET_PART
    this.cpu = cpu
    this.quietLooks = isQuiet ? this.quietLooks + 1 : 0
    if (this.quietLooks < QUIET_LOOKS) return
    const held = this.process.held()
    // What V8 gives back by itself counts as well.
    this.left = Math.min(this.left, held)
    if (held - this.left < WORTHWHILE || held > LARGEST) return
    this.process.collect()
    this.left = this.process.held()
    this.cpu = this.process.cpu()
  }
}
