import type { Backend } from '../backend.ts'
import type { Revision } from '../revision.ts'

/**
 * Asks the store how far it is. A caller joins the next probe that starts after it came, since one under way may have been answered before; one is under way
 * at a time, so a thousand callers cost two round trips.
 */
export class RevisionProbe {
  readonly #backend: Backend
  readonly #signal: AbortSignal
  #current: Promise<Revision> | undefined
  #next: Promise<Revision> | undefined
  /** Round trips made. */
  count = 0

  constructor(backend: Backend, signal: AbortSignal) {
    this.#backend = backend
    this.#signal = signal
  }

  revision(): Promise<Revision> {
    if (this.#current === undefined) return this.#start()
    // Where the probe under way fails, the store was away when the caller came: another would make it wait for twice as long as a call may take.
    this.#next ??= this.#current.then(() => this.#start())
    return this.#next
  }

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
