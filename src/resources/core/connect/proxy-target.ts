import type { Destination } from '../../../catalog/connect.ts'
import { isGlobalUnicast, parseIp } from '../../../meta/ip.ts'
import { badRequestError } from '../../../meta/status.ts'

/** Target of a proxy request, parsed from a name of the form `scheme:name:port`. */
export interface ProxyTarget {
  /** Empty if the request names no scheme, which means HTTP. */
  readonly scheme: '' | 'http' | 'https'
  readonly name: string
  readonly port: string
}

/**
 * Parses `name`, `name:port` or `scheme:name:port`. Throws 400 with a message such as `invalid pod request "x:y:z:"`,
 * in which `kind` is the word `pod`.
 */
export function proxyTarget(kind: string, id: string): ProxyTarget {
  const parts = id.split(':')
  const [scheme, name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts]
  if (parts.length > 3 || name === '' || (scheme !== '' && scheme !== 'http' && scheme !== 'https'))
    throw badRequestError(`invalid ${kind} request ${JSON.stringify(id)}`)
  return { scheme, name, port }
}

/** Creates the destination of a proxied request. The backend's certificate is not verified: no CA is known for it. */
export const proxyDestination = (scheme: ProxyTarget['scheme'], host: string, port: string, path: string): Destination => ({
  scheme: scheme === '' ? 'http' : scheme,
  host,
  port,
  path,
  query: '',
  trust: 'anything',
})

/**
 * Throws 400 unless the text is a global unicast address. A proxy must reach neither this machine itself nor its link.
 */
export function checkProxyAddress(text: string): void {
  const ip = parseIp(text)
  if (!ip || !isGlobalUnicast(ip)) throw badRequestError('address not allowed')
}

/** HTTP methods that proxies pass on. */
export const PROXY_METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
/** API verbs of those methods, in which access is authorized. */
export const PROXY_VERBS: readonly string[] = ['create', 'delete', 'get', 'patch', 'update']
