import type { Filter } from './filter.ts'

/**
 * Serializes writes: each starts when the effects of the one before are complete. Reads wait for the writes that came
 * before them. For tests that require the same revisions in each run.
 * @param settled resolves when no work is pending
 */
export function withWritesInTurn(settled: () => Promise<void>): Filter {
  let last: Promise<void> = Promise.resolve()
  return ({ state: { exchange } }, next) => {
    if (exchange.longRunning) return next()
    const done = last.then(next)
    if (!['GET', 'HEAD'].includes(exchange.method)) last = done.catch(() => {}).then(settled)
    return done
  }
}
