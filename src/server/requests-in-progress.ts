import { type StatusError, serviceUnavailableError } from '../meta/status.ts'
import type { HttpExchange } from './http/http-exchange.ts'

/** Requests that are in progress. Shutdown waits for the short ones and ends the long-running ones. */
export class RequestsInProgress {
  /** All requests that are in progress. */
  readonly all: ReadonlySet<HttpExchange>
  readonly #open = new Set<HttpExchange>()
  readonly #longRunning = new Set<HttpExchange>()
  #draining = false
  #idle: (() => void) | undefined

  constructor() {
    this.all = this.#open
  }

  add(exchange: HttpExchange): void {
    this.#open.add(exchange)
  }

  delete(exchange: HttpExchange): void {
    this.#open.delete(exchange)
    if (this.#draining && this.#open.size === 0) this.#idle?.()
  }

  /** Marks a request as long-running: shutdown ends it without waiting. Throws 503 if shutdown has begun. */
  addLongRunning(exchange: HttpExchange): void {
    if (this.#draining) throw shuttingDown()
    this.#longRunning.add(exchange)
  }

  deleteLongRunning(exchange: HttpExchange): void {
    this.#longRunning.delete(exchange)
  }

  /**
   * Aborts long-running requests and waits for the others. Resolves when none is in progress, or after `graceMs`; the
   * caller then closes the remaining ones.
   */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true
    for (const exchange of this.#longRunning) exchange.abort(shuttingDown())
    if (this.#open.size === 0) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>(resolve => {
      this.#idle = resolve
      timer = setTimeout(resolve, graceMs)
    })
    clearTimeout(timer)
    for (const exchange of this.#open) exchange.destroy()
  }
}

const shuttingDown = (): StatusError => serviceUnavailableError('the server is shutting down')
