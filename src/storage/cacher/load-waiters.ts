import { abortedError } from '../errors.ts'

/** Awaits a shared promise for one caller. Rejects with StorageError `timeout` when the caller's signal aborts. */
export function awaitSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(abortedError(signal))
      return
    }
    const onAbort = () => reject(abortedError(signal))
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(
      value => {
        signal.removeEventListener('abort', onAbort)
        resolve(value)
      },
      error => {
        signal.removeEventListener('abort', onAbort)
        reject(error)
      },
    )
  })
}

/** Requests that wait for a state to be loaded. */
export class LoadWaiters {
  readonly #waiting = new Set<() => void>()

  /**
   * Resolves with true at the next `wake`, with false after the time. Rejects with StorageError `timeout` when the
   * signal aborts.
   */
  next(signal: AbortSignal, ms = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (signal.aborted) return Promise.reject(abortedError(signal))
    if (ms <= 0) return Promise.resolve(false)
    return new Promise((resolve, reject) => {
      const over = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        this.#waiting.delete(woken)
      }
      const woken = () => {
        over()
        resolve(true)
      }
      const onAbort = () => {
        over()
        reject(abortedError(signal))
      }
      const onLate = () => {
        over()
        resolve(false)
      }
      const timer = Number.isFinite(ms) ? setTimeout(onLate, ms) : undefined
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.add(woken)
    })
  }

  wake(): void {
    for (const woken of [...this.#waiting]) woken()
  }
}
