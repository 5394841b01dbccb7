import type { ResolvedService } from '../../admission/webhooks/target.ts'
import type { Destination } from '../../catalog/connect.ts'

/**
 * Destination of a request to an aggregated server. Certificates are verified against the service name, whatever the
 * address is.
 */
export const destinationAt = ({ host, port, open }: ResolvedService, path: string, query = ''): Destination => ({
  scheme: 'https',
  host,
  port: String(port),
  path,
  query,
  trust: 'anything',
  ...(open && { open }),
})
