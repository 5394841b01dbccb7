import { isIP } from 'node:net'
import type { Names } from './issue.ts'

export interface NamesOptions {
  readonly hostname: string
  readonly bindAddress: string
  readonly advertiseAddress: string
  /** First address of the service range: the `kubernetes` service's. */
  readonly serviceIp: string
}

/** What a client may call the server by. */
export function servingNames({ hostname, bindAddress, advertiseAddress, serviceIp }: NamesOptions): Names {
  const dns = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']
  if (/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/i.test(hostname) && isIP(hostname) === 0) dns.push(hostname.toLowerCase())
  const ips = ['127.0.0.1', '::1', serviceIp, bindAddress, advertiseAddress]
  return { dns: [...new Set(dns)], ips: [...new Set(ips)].filter(ip => isIP(ip) !== 0 && ip !== '0.0.0.0' && ip !== '::') }
}
