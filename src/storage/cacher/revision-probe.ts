import type { Backend } from '../backend.ts'
import type { Revision } from '../revision.ts'

/**
 * Reads the store's newest revision. A caller joins the next probe that starts after its call, because the one in
 * flight may have been served before it. One probe is in flight at a time, so a thousand callers cost two round trips.
 */
export class RevisionProbe {
  readonly #backend: Backend
  readonly #signal: AbortSignal
  #current: Promise<Revision> | undefined
  #next: Promise<Revision> | undefined
  /** Number of round trips. */
  count = 0

  constructor(backend: Backend, signal: AbortSignal) {
    this.#backend = backend
    this.#signal = signal
  }

  revision(): Promise<Revision> {
    if (this.#current === undefined) return this.#start()
    // If the probe in flight fails, so does this call: another attempt would make its caller wait for twice the timeout
    // of a call.
    this.#next ??= this.#current.then(() => this.#start())
    return this.#next
  }

  /** The caller has made sure that no probe is in flight. A failure counts as the end of the probe. */
  #start(): Promise<Revision> {
    this.#next = undefined
    this.count++
    const probe = this.#backend.currentRevision(this.#signal)
    this.#current = probe
    const over = () => {
      if (this.#current === probe) this.#current = undefined
    }
    probe.then(over, over)
    return probe
  }
}
