/** A request that keeps a control plane open. */
export interface OpenRequest {
  readonly isLongRunning: boolean
  end(): void
}

/** The open requests of one control plane. */
export class OpenRequests {
  readonly #open = new Set<OpenRequest>()
  /** Time of the last start or end of a request, in milliseconds of `performance.now()`. */
  lastUsed = performance.now()

  /** Registers a request. Returns a function that unregisters it. */
  hold(request: OpenRequest): () => void {
    this.#open.add(request)
    this.lastUsed = performance.now()
    return () => {
      this.#open.delete(request)
      this.lastUsed = performance.now()
    }
  }

  get isIdle(): boolean {
    return this.#open.size === 0
  }

  /** Whether only watches are open, which clients resume elsewhere. */
  get isAtRest(): boolean {
    for (const { isLongRunning } of this.#open) if (!isLongRunning) return false
    return true
  }

  endAll(): void {
    for (const request of this.#open) request.end()
  }
}

/** Runs tasks one at a time, in the order in which they were added. */
export class SerialTasks {
  #last: Promise<unknown> = Promise.resolve()
  waiting = 0

  take<T>(work: () => Promise<T>): Promise<T> {
    this.waiting++
    const result = this.#last.then(work).finally(() => this.waiting--)
    this.#last = result.catch(() => {})
    return result
  }
}
