import type { Logger } from '../lib/log.ts'

/** Maximum time that requests in progress have when a server ends. */
export const REQUEST_GRACE_MS = 60_000

/** Steps of a shutdown and their delays. */
export interface ShutdownSteps {
  /** Milliseconds between the failure of readiness and the closing of the ports (`--shutdown-delay-duration`). */
  readonly delayMs: number
  /** Milliseconds for requests in progress. */
  readonly graceMs: number
  /** Closes the ports and resolves when all requests have finished, or after `graceMs`. */
  stopServing(graceMs: number): Promise<void>
  /** Called after stopServing has resolved. */
  closeStore(): Promise<unknown>
  readonly log: Logger
}

/** The shutdown of a server. Readiness fails once it is under way. */
export class Shutdown {
  #begun = false

  /** Whether `run` was called. The readiness check reads it. */
  get isUnderWay(): boolean {
    return this.#begun
  }

  /**
   * Runs the steps in order: readiness fails, then, after the delay, the ports close and requests in progress finish.
   * The store is closed last.
   */
  async run({ delayMs, graceMs, stopServing, closeStore, log }: ShutdownSteps): Promise<void> {
    this.#begun = true
    if (delayMs > 0) {
      log.info('shutting down after a delay', { delayMs })
      await new Promise(resolve => setTimeout(resolve, delayMs))
    }
    log.info('shutting down')
    await stopServing(graceMs)
    await closeStore()
    log.info('shut down')
  }
}
