import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/** Characters of a header beyond which nothing is read: a chain of a thousand proxies. */
const LONGEST = 16 * 1024

/**
 * Where a request comes from, in order: what X-Forwarded-For says, X-Real-Ip unless it is among those, and the address of the connection unless it is the last of them. All but the last can be
 * made up by the client.
 */
export function sourceIps(headers: IncomingHttpHeaders, remoteAddress: string): string[] {
  const ips = textOf(headers['x-forwarded-for'])
    .split(',')
    .map(ipOf)
    .filter(ip => ip !== '')
  const real = ipOf(textOf(headers['x-real-ip']))
  if (real !== '' && !ips.includes(real)) ips.push(real)
  const remote = ipOf(remoteAddress)
  if (remote !== '' && ips.at(-1) !== remote) ips.push(remote)
  return ips
}

const textOf = (header: string | readonly string[] | undefined): string => (typeof header === 'string' ? header : (header?.[0] ?? '')).slice(0, LONGEST)

/** As Go prints it; empty for what is none. An IPv4 address may come in IPv6. */
function ipOf(text: string): string {
  const ip = text
    .trim()
    .toLowerCase()
    .replace(/^::ffff:(?=\d+\.)/, '')
  return isIP(ip) === 0 ? '' : ip
}
