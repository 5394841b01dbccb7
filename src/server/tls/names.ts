import { isIP, isIPv4 } from 'node:net'
import type { Names } from './issue.ts'

/** Names and addresses of the serving certificate, besides `localhost` and the names of the `kubernetes` service. */
export interface NamesOptions {
  readonly hostname: string
  readonly bindAddress: string
  readonly advertiseAddress: string
  /** First address of the service range: that of the `kubernetes` service. */
  readonly serviceIp: string
}

/** Returns the names and addresses of the serving certificate. */
export function servingNames({ hostname, bindAddress, advertiseAddress, serviceIp }: NamesOptions): Names {
  const dns = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']
  // The pattern excludes IPv6 addresses, which have colons: testing for one takes milliseconds the first time.
  if (/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/i.test(hostname) && !isIPv4(hostname)) dns.push(hostname.toLowerCase())
  const given = [serviceIp, bindAddress, advertiseAddress].filter(ip => isIP(ip) !== 0 && ip !== '0.0.0.0' && ip !== '::')
  return { dns: [...new Set(dns)], ips: [...new Set(['127.0.0.1', '::1', ...given])] }
}
