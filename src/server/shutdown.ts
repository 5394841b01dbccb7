import type { Logger } from '../lib/log.ts'

/** Requests in progress get this long, at most, when a server ends. */
export const REQUEST_GRACE_MS = 60_000

export interface ShutdownSteps {
  /** Between readiness failing and the ports closing. */
  readonly delayMs: number
  /** For requests in progress. */
  readonly graceMs: number
  stopServing(graceMs: number): Promise<void>
  closeStore(): Promise<void>
  readonly log: Logger
}

/** Whether the server has been asked to end; readiness looks at it. */
export class Shutdown {
  private begun = false

  get isUnderWay(): boolean {
    return this.begun
  }

  /** Readiness fails first; then, after the delay, the ports close and requests in progress finish; the store is closed last. */
  async run({ delayMs, graceMs, stopServing, closeStore, log }: ShutdownSteps): Promise<void> {
    this.begun = true
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
