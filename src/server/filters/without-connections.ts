import type { ApiFilter } from '../../endpoints/filters/filter.ts'
import { failure, type StatusError } from '../../meta/status.ts'

/** Refuses subresources that reach out of the server: logs, commands, ports and proxies. Stands where it is known which subresource a request is for. */
export const withoutConnections =
  (refused: () => StatusError): ApiFilter =>
  ({ state: { scope } }, next) => {
    if (scope?.subresource?.connect) throw refused()
    return next()
  }

/** What the port of the console answers for what other servers would answer. */
export const notOnConsole = (): StatusError => failure(403, 'Forbidden', "the console's port passes nothing on: ask --secure-port", {})
