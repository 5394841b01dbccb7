import type { RevisionClock } from './revision-clock.ts'

/** Time between two requests, in milliseconds. */
const PAUSE_MS = 10

/**
 * Requests progress of the watch while a reader waits for a revision: immediately, and again after each pause. If the
 * cache has reached the revision, nothing is requested.
 */
export class ProgressRequests {
  readonly #time: RevisionClock
  /** Sends a request. Undefined while no watch is open. */
  #request: (() => void) | undefined
  /** Timer of the pause after a request. */
  #pause: NodeJS.Timeout | undefined
  /** Number of requests sent. */
  count = 0

  constructor(time: RevisionClock) {
    this.#time = time
    time.onWait = () => this.#send()
  }

  /** Starts to use an open watch. `request` sends one request. */
  open(request: () => void): void {
    this.#request = request
    if (this.#time.isAwaited) this.#send()
  }

  /** Stops, because the watch has ended. */
  close(): void {
    this.#request = undefined
    clearTimeout(this.#pause)
    this.#pause = undefined
  }

  /** Sends at most one request per pause. Its response is a progress event of the watch, which moves the clock. */
  #send(): void {
    if (this.#request === undefined || this.#pause !== undefined) return
    this.count++
    this.#request()
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      if (this.#time.isAwaited) this.#send()
    }, PAUSE_MS)
  }
}
