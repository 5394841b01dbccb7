import { exitAtRest } from '../lib/exit-at-rest.ts'
import type { Logger } from '../lib/log.ts'

/** Resolves at the first SIGTERM or SIGINT; the second one ends the process on the spot. */
export function stopSignal(log: Logger): Promise<void> {
  return new Promise(resolve => {
    let asked = false
    const stop = (name: string): void => {
      if (asked) {
        log.warn('second signal received: exiting without waiting for open requests', { signal: name })
        exitAtRest(1)
        return
      }
      asked = true
      log.info('shutting down', { signal: name })
      resolve()
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}

/**
 * A worker's: resolves at the first SIGTERM, or when the primary says so. A terminal and some init systems signal every process of the group, so that the primary is signalled as well: it
 * decides what SIGINT means, and what a second signal does.
 */
export function workerStopSignal(primary: Promise<void>): Promise<void> {
  process.on('SIGINT', () => {})
  return new Promise(resolve => {
    process.on('SIGTERM', () => resolve())
    void primary.then(resolve)
  })
}
