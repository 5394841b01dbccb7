import type { RecentRequests } from '../../why/recent-requests.ts'
import type { Filter } from './filter.ts'

/** Takes down what each request goes through. It stands around all that answers, so that what fails early is among it. */
export const withWhy =
  (recent: Pick<RecentRequests, 'follow'>): Filter =>
  ({ state: { exchange } }, next) =>
    recent.follow(exchange, next)
