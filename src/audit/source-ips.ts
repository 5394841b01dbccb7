import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/** Characters of a header that are parsed: a chain of a thousand proxies. */
const LONGEST = 16 * 1024

/**
 * Returns the source addresses of a request, in order: those of X-Forwarded-For, X-Real-Ip if it is not among them, and
 * the address of the connection if it is not the last of them. A client can forge all but the last.
 */
export function sourceIps(headers: IncomingHttpHeaders, remoteAddress: string): string[] {
  const ips = headerText(headers['x-forwarded-for'])
    .split(',')
    .map(ipOf)
    .filter(ip => ip !== '')
  const real = ipOf(headerText(headers['x-real-ip']))
  if (real !== '' && !ips.includes(real)) ips.push(real)
  const remote = ipOf(remoteAddress)
  if (remote !== '' && ips.at(-1) !== remote) ips.push(remote)
  return ips
}

const headerText = (header: string | readonly string[] | undefined): string =>
  (typeof header === 'string' ? header : (header?.[0] ?? '')).slice(0, LONGEST)

/** Returns an address as Go prints it, or an empty string if it is invalid. IPv4-mapped IPv6 addresses become IPv4. */
function ipOf(text: string): string {
  const ip = text
    .trim()
    .toLowerCase()
    .replace(/^::ffff:(?=\d+\.)/, '')
  return isIP(ip) === 0 ? '' : ip
}
