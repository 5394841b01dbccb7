import type { ApiFilter } from '../../endpoints/filters/filter.ts'
import { failure, type StatusError } from '../../meta/status.ts'

/**
 * Refuses subresources that connect to other servers: logs, exec, port forwarding and proxies. Runs after the
 * subresource of a request is resolved.
 */
export const withoutConnections =
  (refused: () => StatusError): ApiFilter =>
  ({ state: { scope } }, next) => {
    if (scope?.subresource?.connect) throw refused()
    return next()
  }

/** Error of the console's port for a request that another server would serve. */
export const notOnConsole = (): StatusError =>
  failure(403, 'Forbidden', "the console's port does not proxy requests: use --secure-port", {})
