import type { Filter } from './filter.ts'

/**
 * Lets requests in one after the other where they write, each when what the one before has led to is over, and those that read behind the writes that came before. For tests that have to write the same each time.
 * @param settled resolves when nothing is going on any more
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
