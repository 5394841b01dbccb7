import type { WebhookClientConfig } from '../../api/admissionregistration/v1.types.ts'
import type { OpenConnection } from '../../lib/in-process-connection.ts'
import { joinPaths } from '../../lib/url.ts'
import { GoUrlError, parseGoUrl } from '../../meta/go-url.ts'
import { WebhookCallError } from './call-error.ts'

/** Address of a service. */
export interface ResolvedService {
  readonly host: string
  readonly port: number
  /** Optional. Opens a connection in this process, without TLS. If omitted, the host is dialled. */
  readonly open?: OpenConnection
}

/** Returns the address of a service. Throws an Error with upstream's message if it cannot be resolved. */
export type ResolveService = (namespace: string, name: string, port: number) => Promise<ResolvedService>

/** HTTP destination of a webhook. */
export interface WebhookTarget {
  /** URL as error messages show it, without query: `https://name.namespace.svc:443/path`. */
  readonly url: string
  /** Value of the Host header. */
  readonly authority: string
  /** Host and port. */
  readonly address: string
  readonly path: string
  /** Name that its certificate must contain. */
  readonly serverName: string
  dial(): Promise<{ readonly host: string; readonly port: number }>
}

/** Returns the destination of a clientConfig. Throws a WebhookCallError if it is invalid. */
export function webhookTarget({ url, service }: WebhookClientConfig, resolve: ResolveService): WebhookTarget {
  if (service) {
    const { namespace, name, path = '', port = 443 } = service
    const serverName = `${name}.${namespace}.svc`
    return targetAt(`${serverName}:${port}`, path, serverName, () => resolve(namespace, name, port))
  }
  if (url === undefined || url === '')
    throw new WebhookCallError('webhook configuration must have either service or URL', { isConfiguration: true })
  const { host, path } = parseWebhookUrl(url)
  const [, name = '', port] = /^(.*?)(?::(\d*))?$/.exec(host) ?? []
  const serverName = name.replace(/^\[(.*)\]$/, '$1')
  return targetAt(host, path, serverName, async () => ({ host: serverName, port: port ? Number(port) : 443 }))
}

/** Builds a target. An authority without port gets 443 as its address. */
function targetAt(authority: string, path: string, serverName: string, dial: WebhookTarget['dial']): WebhookTarget {
  const joined = joinPaths('/', path)
  return {
    url: `https://${authority}${joined}`,
    authority,
    address: /:\d+$/.test(authority) ? authority : `${authority.replace(/:$/, '')}:443`,
    path: joined,
    serverName,
    dial,
  }
}

/** Parses a URL as Go does. Throws a WebhookCallError. */
function parseWebhookUrl(url: string): { readonly host: string; readonly path: string } {
  try {
    return parseGoUrl(url)
  } catch (error) {
    if (!(error instanceof GoUrlError)) throw error
    throw new WebhookCallError(`Unparsable URL: ${error.message}`, { isConfiguration: true })
  }
}
