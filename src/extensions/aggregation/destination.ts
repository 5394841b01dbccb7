import type { Destination } from '../../catalog/connect.ts'

/** The address of a backend with what is asked of it. Names in certificates are those of services, whatever the address is. */
export const destinationAt = ({ host, port }: { readonly host: string; readonly port: number }, path: string, query = ''): Destination => ({
  scheme: 'https',
  host,
  port: String(port),
  path,
  query,
  trust: 'anything',
})
