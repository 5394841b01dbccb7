import type { RecentRequests } from '../../why/recent-requests.ts'
import type { Filter } from './filter.ts'

/**
 * Records the steps of each request. Runs around every filter that may respond, so that early failures are recorded as
 * well.
 */
export const withWhy =
  (recent: Pick<RecentRequests, 'follow'>): Filter =>
  ({ state: { exchange } }, next) =>
    recent.follow(exchange, next)
