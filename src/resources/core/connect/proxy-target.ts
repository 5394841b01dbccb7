import type { Destination } from '../../../catalog/connect.ts'
import { isGlobalUnicast, parseIp } from '../../../meta/ip.ts'
import { badRequestError } from '../../../meta/status.ts'

/** `scheme:name:port`, as the name in a proxy’s path is read. */
export interface ProxyTarget {
  /** Empty where the request names none: HTTP. */
  readonly scheme: '' | 'http' | 'https'
  readonly name: string
  readonly port: string
}

/** Reads `name`, `name:port` or `scheme:name:port`. `kind` is for the error, a 400: `invalid pod request "x:y:z:"`. */
export function proxyTarget(kind: string, id: string): ProxyTarget {
  const parts = id.split(':')
  const [scheme, name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts]
  if (parts.length > 3 || name === '' || (scheme !== '' && scheme !== 'http' && scheme !== 'https'))
    throw badRequestError(`invalid ${kind} request ${JSON.stringify(id)}`)
  return { scheme, name, port }
}

/** What is behind a proxy may bring any certificate: nobody could check it. */
export const proxyDestination = (scheme: ProxyTarget['scheme'], host: string, port: string, path: string): Destination => ({
  scheme: scheme === '' ? 'http' : scheme,
  host,
  port,
  path,
  query: '',
  trust: 'anything',
})

/** A proxy must not reach this machine itself, nor its link. Throws 400 where the text is not an address that others could have. */
export function checkProxyAddress(text: string): void {
  const ip = parseIp(text)
  if (!ip || !isGlobalUnicast(ip)) throw badRequestError('address not allowed')
}

/** The methods that proxies pass on. */
export const PROXY_METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
/** Each method of HTTP is allowed as the verb that it is of a resource. */
export const PROXY_VERBS: readonly string[] = ['create', 'delete', 'get', 'patch', 'update']
