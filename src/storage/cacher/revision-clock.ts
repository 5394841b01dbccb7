import { abortedError, tooLargeRevision } from '../errors.ts'
import { later, NO_REVISION, type Revision } from '../revision.ts'
import type { StorageError } from '../storage.ts'

interface Waiter {
  readonly revision: Revision
  resolve(): void
}

/** The revision that the cache has reached, and the readers that wait for a later one. */
export class RevisionClock {
  /** Optional. Called when a reader begins to wait. */
  onWait: (() => void) | undefined
  #now = NO_REVISION
  #undone = NO_REVISION
  readonly #waiters = new Set<Waiter>()

  get now(): Revision {
    return this.#now
  }

  /** Whether a reader waits for a later revision. */
  get isAwaited(): boolean {
    return this.#waiters.size > 0
  }

  /**
   * Newest revision of a history that the store lost when it was restored from an older copy. 0 if it never was. A
   * revision up to it may denote two states.
   */
  get undone(): Revision {
    return this.#undone
  }

  /** Records that the store was restored from an older copy. */
  undo(): void {
    this.#undone = later(this.#undone, this.#now)
  }

  /**
   * Advances the clock and releases readers of this revision and earlier ones. An earlier revision than the present one
   * has no effect.
   */
  advance(to: Revision): void {
    if (to > this.#now) this.set(to)
  }

  /** Sets the clock like `advance`, and may move it back, if the store was replaced. */
  set(to: Revision): void {
    this.#now = to
    if (this.#waiters.size === 0) return
    for (const waiter of this.#waiters) {
      if (waiter.revision <= to) {
        this.#waiters.delete(waiter)
        waiter.resolve()
      }
    }
  }

  /**
   * Resolves once the revision is reached; undefined if it is already. Rejects with StorageError `too large revision`
   * after `ms`, or `timeout` when the signal aborts.
   */
  reach(revision: Revision, signal: AbortSignal, ms: number): Promise<void> | undefined {
    if (revision <= this.#now) return undefined
    return new Promise((resolve, reject) => {
      const over = (error?: StorageError) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        this.#waiters.delete(waiter)
        if (error) reject(error)
        else resolve()
      }
      const onAbort = () => over(abortedError(signal))
      const waiter: Waiter = { revision, resolve: () => over() }
      const timer = setTimeout(() => over(tooLargeRevision(revision, this.#now)), ms)
      if (signal.aborted) {
        onAbort()
        return
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiters.add(waiter)
      this.onWait?.()
    })
  }
}
