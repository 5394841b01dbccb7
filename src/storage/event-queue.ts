import { nextTurn } from '../lib/turn.ts'
import type { StorageEvent, Take, Watcher } from './storage.ts'

/** A pending call of `deliver`. */
interface Taker {
  readonly take: Take
  /** The `joined` argument of `deliver`. */
  readonly joined: number
  resolve(): void
  reject(error: unknown): void
}

/** Told when the taker of a queue takes a batch. */
export interface Receipt {
  /** Called when the taker takes the batch. Batches that are dropped when the queue closes have no such call. */
  taken(): void
}

/**
 * Limit on queued objects behind the next batch, in bytes per watcher. Events are shared among watchers, so this bounds
 * the memory that one slow watcher retains.
 */
const QUEUE_BYTES = 16 << 20

/** Returns the bytes of the objects in a batch, as JSON. */
function batchSize(batch: readonly StorageEvent[]): number {
  let bytes = 0
  for (const event of batch) if (event.type !== 'bookmark') bytes += event.object.json().bytes.length
  return bytes
}

/**
 * Queue between a store and one watcher: batches in order, bounded in number and bytes. A watcher that is too slow is
 * ended; producers never wait for it. If the taker is ready, a batch is delivered in the turn in which it is pushed.
 */
export class EventQueue implements Watcher {
  readonly #limit: number
  readonly #byteLimit: number
  readonly #onClose: (slow: boolean) => void
  /** Batches that precede all others. They are generated on demand, one per turn of the event loop. */
  #initial: Iterator<readonly StorageEvent[]> | undefined
  #batches: (readonly StorageEvent[])[] = []
  /** Receipts of the batches, in their order. */
  #receipts: (Receipt | undefined)[] = []
  #queued = 0
  /** Bytes of the batches after the first. */
  #bytes = 0
  #slow = false
  #ended = false
  #error: unknown
  #whenTaken: (() => void) | undefined
  /** Set while the taker is ready and the queue is empty. */
  #taker: Taker | undefined

  /**
   * @param limit number of queued events; one more ends the watcher
   * @param onClose called once, when the queue ends for any reason; `slow`: its reader did not keep up
   * @param byteLimit bytes of objects that may be queued behind the first batch
   */
  constructor(limit: number, onClose: (slow: boolean) => void, initial?: Iterator<readonly StorageEvent[]>, byteLimit = QUEUE_BYTES) {
    this.#limit = limit
    this.#byteLimit = byteLimit
    this.#onClose = onClose
    this.#initial = initial
  }

  /** Whether nothing can be added any more. Batches may still be queued. */
  get ended(): boolean {
    return this.#ended
  }

  /** Number of queued events. The initial events are not counted. */
  get queued(): number {
    return this.#queued
  }

  /**
   * Adds a batch, which may be shared with other queues, and so may its receipt. Returns false if the queue has ended,
   * or was full and therefore ends.
   */
  push(batch: readonly StorageEvent[], receipt?: Receipt): boolean {
    if (this.#ended) return false
    if (batch.length === 0) return true
    // The queue is usually empty, and then the bytes need not be counted.
    const bytes = this.#queued === 0 ? 0 : batchSize(batch)
    if (!this.#hasRoom(batch.length, bytes)) {
      this.close(true)
      return false
    }
    this.#bytes += bytes
    this.#batches.push(batch)
    this.#receipts.push(receipt)
    this.#queued += batch.length
    if (this.#taker !== undefined) this.#give(this.#taker)
    return true
  }

  /** Reports whether `push` would accept the batch. */
  fits(batch: readonly StorageEvent[]): boolean {
    return this.#hasRoom(batch.length, this.#queued === 0 ? 0 : batchSize(batch))
  }

  /**
   * Reports whether a batch fits. An empty queue has room for any batch, so that a batch above the limits is delivered,
   * too.
   */
  #hasRoom(events: number, bytes: number): boolean {
    return this.#queued === 0 || (this.#queued + events <= this.#limit && this.#bytes + bytes <= this.#byteLimit)
  }

  /**
   * Resolves when everything queued is taken or the queue has ended. Allows one source to wait when a batch does not
   * fit.
   */
  whenTaken(): Promise<void> {
    if (this.#ended) return Promise.resolve()
    return new Promise(resolve => {
      this.#whenTaken = resolve
    })
  }

  /** Releases the source that waits in `whenTaken`. */
  #taken(): void {
    const resolve = this.#whenTaken
    this.#whenTaken = undefined
    resolve?.()
  }

  /** Ends the watch after the queued batches are delivered, with the error if one is given. */
  finish(error?: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    this.#taken()
    if (this.#taker !== undefined) this.#give(this.#taker)
    this.#onClose(this.#slow)
  }

  close(slow = false): void {
    if (!this.#ended) this.#slow = slow
    this.#batches = []
    this.#receipts = []
    this.#queued = 0
    this.#initial = undefined
    this.finish()
  }

  async deliver(take: Take, joined = 0, begun?: () => void): Promise<void> {
    for (let batch = await this.#beginning(); batch !== undefined; batch = await this.#beginning()) {
      const taken = take(batch, true)
      if (taken !== true && !(await taken)) {
        this.close()
        return
      }
    }
    begun?.()
    return new Promise((resolve, reject) => {
      this.#give({ take, joined, resolve, reject })
    })
  }

  /** Delivers queued batches. While a taker is busy it is not in `#taker`, so that `push` only queues. */
  #give(taker: Taker): void {
    this.#taker = undefined
    try {
      for (let batch = this.#take(taker.joined); batch !== undefined; batch = this.#take(taker.joined)) {
        const taken = taker.take(batch)
        if (taken === true) continue
        if (taken === false) this.close()
        else {
          taken.then(
            ready => {
              if (!ready) this.close()
              this.#give(taker)
            },
            error => this.#fail(taker, error),
          )
          return
        }
      }
    } catch (error) {
      this.#fail(taker, error)
      return
    }
    if (!this.#ended) this.#taker = taker
    else if (this.#error === undefined) taker.resolve()
    else taker.reject(this.#error)
  }

  /** Ends the queue and rejects `deliver` with the error. */
  #fail(taker: Taker, error: unknown): void {
    this.close()
    taker.reject(error)
  }

  /** Removes the next batch, joined with those after it while together they have fewer events than `joined`. */
  #take(joined: number): readonly StorageEvent[] | undefined {
    const batch = this.#next()
    if (batch === undefined || batch.length >= joined || this.#batches.length === 0) return batch
    const all = [...batch]
    for (let more = this.#next(); more !== undefined; more = all.length < joined ? this.#next() : undefined)
      for (const event of more) all.push(event)
    return all
  }

  /** The bytes of the batch that is being delivered do not count: only those that wait behind it. */
  #next(): readonly StorageEvent[] | undefined {
    const batch = this.#batches.shift()
    this.#receipts.shift()?.taken()
    if (batch !== undefined) this.#queued -= batch.length
    const first = this.#batches[0]
    if (first !== undefined) this.#bytes -= batchSize(first)
    if (this.#queued === 0) this.#taken()
    return batch
  }

  /** Returns the next batch of the initial events. */
  async #beginning(): Promise<readonly StorageEvent[] | undefined> {
    if (this.#initial === undefined) return undefined
    await nextTurn()
    const step = this.#initial?.next()
    if (step !== undefined && !step.done) return step.value
    this.#initial = undefined
    return undefined
  }
}
