import { failure } from '../../meta/status.ts'
import type { Filter } from './filter.ts'

/**
 * Throws 403 if a browser requests the script of a service worker
 * (https://w3c.github.io/ServiceWorker/#service-worker-script-request). No page of this server has one. One of a
 * backend could respond to later requests with this server's origin.
 */
export const withoutServiceWorkers: Filter = ({ state: { exchange } }, next) => {
  if (exchange.headers['service-worker'] !== undefined)
    throw failure(403, 'Forbidden', 'this server serves no scripts of service workers', {})
  return next()
}
