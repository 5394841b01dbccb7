import { failure } from '../../meta/status.ts'
import type { Filter } from './filter.ts'

/**
 * Throws 403 if a browser asks for the script of a service worker (https://w3c.github.io/ServiceWorker/#service-worker-script-request). No page of this server has one, and one of a backend would answer
 * requests in the name of this server.
 */
export const withoutServiceWorkers: Filter = ({ state: { exchange } }, next) => {
  if (exchange.headers['service-worker'] !== undefined) throw failure(403, 'Forbidden', 'this server serves no scripts of service workers', {})
  return next()
}
