import type { RevisionClock } from './revision-clock.ts'

/** Time between two requests, in milliseconds. */
const PAUSE_MS = 10

/** Requests the progress of a watch while a reader waits for a revision: at once, and again after each pause. A cache that has come to the revision already requests nothing. */
export class ProgressRequests {
  readonly #time: RevisionClock
  /** Undefined while no watch is open. */
  #request: (() => void) | undefined
  /** Runs for the pause after a request. */
  #pause: NodeJS.Timeout | undefined
  /** Requests that were sent. */
  count = 0

  constructor(time: RevisionClock) {
    this.#time = time
    time.onWait = () => this.#send()
  }

  /** The watch is open. `request` sends one request. */
  open(request: () => void): void {
    this.#request = request
    if (this.#time.isAwaited) this.#send()
  }

  /** The watch has ended. */
  close(): void {
    this.#request = undefined
    clearTimeout(this.#pause)
    this.#pause = undefined
  }

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
