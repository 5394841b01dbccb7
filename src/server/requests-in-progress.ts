import { type StatusError, serviceUnavailableError } from '../meta/status.ts'
import type { HttpExchange } from './exchange.ts'

/** What shutdown waits for, and what it ends. */
export class RequestsInProgress {
  /** All requests that are not over. */
  readonly all: ReadonlySet<HttpExchange>
  private readonly open = new Set<HttpExchange>()
  private readonly longRunning = new Set<HttpExchange>()
  private draining = false
  private idle: (() => void) | undefined

  constructor() {
    this.all = this.open
  }

  add(exchange: HttpExchange): void {
    this.open.add(exchange)
  }

  delete(exchange: HttpExchange): void {
    this.open.delete(exchange)
    if (this.draining && this.open.size === 0) this.idle?.()
  }

  /** Notes that a request is long-running: it is ended at shutdown, not waited for. Throws 503 once that has begun. */
  addLongRunning(exchange: HttpExchange): void {
    if (this.draining) throw shuttingDown()
    this.longRunning.add(exchange)
  }

  deleteLongRunning(exchange: HttpExchange): void {
    this.longRunning.delete(exchange)
  }

  /** Ends the long-running requests at once, by their signals, and waits for the rest. Resolves when none is in progress, or after `graceMs`, when those that are left are cut. */
  async drain(graceMs: number): Promise<void> {
    this.draining = true
    for (const exchange of this.longRunning) exchange.abort(shuttingDown())
    if (this.open.size === 0) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>(resolve => {
      this.idle = resolve
      timer = setTimeout(resolve, graceMs)
    })
    clearTimeout(timer)
    for (const exchange of this.open) exchange.destroy()
  }
}

const shuttingDown = (): StatusError => serviceUnavailableError('the server is shutting down')
