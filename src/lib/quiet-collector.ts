/** Process whose heap is collected. */
export interface Collectable {
  /** CPU time used by the process, in milliseconds. */
  cpu(): number
  /** Size of the heap in bytes, including free parts. */
  held(): number
  collect(): void
}

/** A process is quiet if it uses less than this share of an interval. */
const QUIET_PART = 0.05
/** Consecutive quiet intervals before a collection. */
const QUIET_LOOKS = 2
/** Growth in bytes since the last collection that makes another one worthwhile. */
const WORTHWHILE = 16 << 20
/**
 * Size in bytes above which V8 is left to collect. A collection stops the process in proportion to the heap, whereas V8
 * does most of the work incrementally.
 */
const LARGEST = 160 << 20

/**
 * Collects garbage once after a burst of work. V8 only collects when memory is allocated, so without this a burst's
 * garbage stays while the process is quiet, and the young generation keeps its largest size.
 */
export class QuietCollector {
  readonly #process: Collectable
  readonly #intervalMs: number
  #cpu: number
  #left: number
  #quietLooks = 0

  constructor(process: Collectable, intervalMs: number) {
    this.#process = process
    this.#intervalMs = intervalMs
    this.#cpu = process.cpu()
    this.#left = process.held()
  }

  /** Called once in each interval. */
  look(): void {
    const cpu = this.#process.cpu()
    const isQuiet = cpu - this.#cpu < this.#intervalMs * QUIET_PART
    this.#cpu = cpu
    this.#quietLooks = isQuiet ? this.#quietLooks + 1 : 0
    if (this.#quietLooks < QUIET_LOOKS) return
    const held = this.#process.held()
    // Memory that V8 has freed on its own counts as well.
    this.#left = Math.min(this.#left, held)
    if (held - this.#left < WORTHWHILE || held > LARGEST) return
    this.#process.collect()
    this.#left = this.#process.held()
    this.#cpu = this.#process.cpu()
  }
}
