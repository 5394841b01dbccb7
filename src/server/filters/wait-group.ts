import type { RequestsInProgress } from '../requests-in-progress.ts'
import type { Filter } from './filter.ts'

/** Adds the request to those in progress, for its deadline and for shutdown. */
export const withWaitGroup =
  (requests: RequestsInProgress): Filter =>
  async ({ state: { exchange } }, next) => {
    requests.add(exchange)
    try {
      await next()
    } finally {
      requests.delete(exchange)
    }
  }
