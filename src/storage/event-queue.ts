import { nextTurn } from '../lib/turn.ts'
import type { StorageEvent, Watcher } from './storage.ts'

/** A bounded queue of batches between a store and one watcher. */
export class EventQueue implements Watcher {
  readonly #limit: number
  readonly #onClose: () => void
  /** Batches before all others, made as they are asked for, one a turn of the event loop. */
  #initial: Iterator<readonly StorageEvent[]> | undefined
  #batches: (readonly StorageEvent[])[] = []
  #queued = 0
  #ended = false
  #error: unknown
  #whenTaken: (() => void) | undefined
  #waiting: { resolve(result: IteratorResult<readonly StorageEvent[]>): void; reject(error: unknown): void } | undefined

  /**
   * @param limit events that may wait; one more ends the watcher
   * @param onClose called once, when it ends for whatever reason
   */
  constructor(limit: number, onClose: () => void, initial?: Iterator<readonly StorageEvent[]>) {
    this.#limit = limit
    this.#onClose = onClose
    this.#initial = initial
  }

  get ended(): boolean {
    return this.#ended
  }

  get queued(): number {
    return this.#queued
  }

  /** Queues a batch, which may be shared with other queues; `wake` shows it to a consumer that waits. False where the queue has ended, or was full and ends now. */
  push(batch: readonly StorageEvent[]): boolean {
    if (this.#ended) return false
    if (batch.length === 0) return true
    if (!this.fits(batch.length)) {
      this.close()
      return false
    }
    this.#batches.push(batch)
    this.#queued += batch.length
    return true
  }

  /** Whether so many more would be taken. */
  fits(events: number): boolean {
    return this.#queued + events <= this.#limit || this.#queued === 0
  }

  /** For the one source that can wait, where they don't fit: resolves when all that is queued is taken, or the queue has ended. */
  whenTaken(): Promise<void> {
    if (this.#ended) return Promise.resolve()
    return new Promise(resolve => {
      this.#whenTaken = resolve
    })
  }

  #taken(): void {
    const resolve = this.#whenTaken
    this.#whenTaken = undefined
    resolve?.()
  }

  wake(): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    const batch = this.#take()
    if (batch === undefined) return
    this.#waiting = undefined
    waiting.resolve({ done: false, value: batch })
  }

  /** Ends the iteration after what is queued: by throwing the error, if one is given. */
  finish(error?: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    this.#taken()
    this.wake()
    if (this.#waiting !== undefined) {
      const waiting = this.#waiting
      this.#waiting = undefined
      if (error === undefined) waiting.resolve({ done: true, value: undefined })
      else {
        this.#error = undefined
        waiting.reject(error)
      }
    }
    this.#onClose()
  }

  close(): void {
    this.#batches = []
    this.#queued = 0
    this.#initial = undefined
    this.finish()
  }

  #take(): readonly StorageEvent[] | undefined {
    const batch = this.#batches.shift()
    if (batch !== undefined) this.#queued -= batch.length
    if (this.#queued === 0) this.#taken()
    return batch
  }

  async #next(): Promise<IteratorResult<readonly StorageEvent[]>> {
    if (this.#initial !== undefined) {
      await nextTurn()
      const step = this.#initial?.next()
      if (step !== undefined && !step.done) return step
      this.#initial = undefined
    }
    const batch = this.#take()
    if (batch !== undefined) return { done: false, value: batch }
    if (this.#ended) {
      const error = this.#error
      this.#error = undefined
      if (error !== undefined) throw error
      return { done: true, value: undefined }
    }
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly StorageEvent[]> {
    return {
      next: () => this.#next(),
      return: async () => {
        this.close()
        return { done: true, value: undefined }
      },
    }
  }
}
