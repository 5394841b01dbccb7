/** A request that a plane is open for. */
export interface HeldRequest {
  readonly isLongRunning: boolean
  end(): void
}

/** The requests of one plane. */
export class HeldRequests {
  private readonly open = new Set<HeldRequest>()
  /** By a steady clock, when the last one came or went. */
  lastUsed = performance.now()

  hold(request: HeldRequest): () => void {
    this.open.add(request)
    this.lastUsed = performance.now()
    return () => {
      this.open.delete(request)
      this.lastUsed = performance.now()
    }
  }

  get isIdle(): boolean {
    return this.open.size === 0
  }

  /** Nothing but watches, which come again. */
  get isAtRest(): boolean {
    for (const { isLongRunning } of this.open) if (!isLongRunning) return false
    return true
  }

  endAll(): void {
    for (const request of this.open) request.end()
  }
}

/** Lets one at a time do its work, in the order in which they came. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve()
  waiting = 0

  take<T>(work: () => Promise<T>): Promise<T> {
    this.waiting++
    const result = this.last.then(work).finally(() => this.waiting--)
    this.last = result.catch(() => {})
    return result
  }
}
