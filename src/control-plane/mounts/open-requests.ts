/** A request that keeps a control plane open. */
export interface OpenRequest {
  /** Whether it is a watch or a connection, which clients open again if it ends. */
  readonly isLongRunning: boolean
  /** Ends the request. */
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

  /** Whether no request is open. */
  get isIdle(): boolean {
    return this.#open.size === 0
  }

  /** Whether only watches are open, which clients resume elsewhere. */
  get isAtRest(): boolean {
    for (const { isLongRunning } of this.#open) if (!isLongRunning) return false
    return true
  }

  /** Ends all requests. They unregister themselves when they have ended. */
  endAll(): void {
    for (const request of this.#open) request.end()
  }
}

/** Runs tasks one at a time, in the order in which they were added. */
export class SerialTasks {
  #last: Promise<unknown> = Promise.resolve()
  /** Number of tasks that are queued or running. */
  waiting = 0

  /** Queues a task, and resolves with its result. A failure does not affect the tasks after it. */
  take<T>(work: () => Promise<T>): Promise<T> {
    this.waiting++
    const result = this.#last.then(work).finally(() => this.waiting--)
    this.#last = result.catch(() => {})
    return result
  }
}
