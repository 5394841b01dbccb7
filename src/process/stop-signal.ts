import { exitAtRest } from '../lib/exit-at-rest.ts'
import type { Logger } from '../lib/log.ts'

/** Resolves at the first SIGTERM or SIGINT. The second one ends the process immediately. */
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
 * Stop signal of a worker: resolves at the first SIGTERM, or when the primary asks it to stop. A terminal and some init
 * systems signal every process of the group, so the primary receives the signal as well. It decides about SIGINT and
 * about a second signal.
 */
export function workerStopSignal(primary: Promise<void>): Promise<void> {
  process.on('SIGINT', () => {})
  return new Promise(resolve => {
    process.on('SIGTERM', () => resolve())
    void primary.then(resolve)
  })
}
