import { joinPaths } from '../../lib/url.ts'
import { GoUrlError, parseGoUrl } from '../../meta/go-url.ts'
import { WebhookCallError } from './call-error.ts'

/** Where a webhook is: what `clientConfig` says in configurations of webhooks and in the conversion of custom resources. */
export interface WebhookClientConfig {
  readonly url?: string
  readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string; readonly port?: number }
  /** Base64 of PEM; without one the authorities of the system count. */
  readonly caBundle?: string
}

/** Where a service can be reached. Throws an Error with upstream's text where it can't. */
export type ResolveService = (namespace: string, name: string, port: number) => Promise<{ readonly host: string; readonly port: number }>

/** A webhook in the parts of HTTP. */
export interface WebhookTarget {
  /** As texts of errors have it, without query: `https://name.namespace.svc:443/path`. */
  readonly url: string
  /** The Host header. */
  readonly authority: string
  /** Host and port. */
  readonly address: string
  readonly path: string
  /** The name in its certificate. */
  readonly serverName: string
  dial(): Promise<{ readonly host: string; readonly port: number }>
}

/** Throws a WebhookCallError where it names nothing that can be reached. */
export function webhookTarget({ url, service }: WebhookClientConfig, resolve: ResolveService): WebhookTarget {
  if (service) {
    const { namespace, name, path = '', port = 443 } = service
    const serverName = `${name}.${namespace}.svc`
    return targetAt(`${serverName}:${port}`, path, serverName, () => resolve(namespace, name, port))
  }
  if (url === undefined || url === '') throw new WebhookCallError('webhook configuration must have either service or URL', { isConfiguration: true })
  const { host, path } = parsed(url)
  const [, name = '', port] = /^(.*?)(?::(\d*))?$/.exec(host) ?? []
  const serverName = name.replace(/^\[(.*)\]$/, '$1')
  return targetAt(host, path, serverName, async () => ({ host: serverName, port: port ? Number(port) : 443 }))
}

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

function parsed(url: string): { readonly host: string; readonly path: string } {
  try {
    return parseGoUrl(url)
  } catch (error) {
    if (!(error instanceof GoUrlError)) throw error
    throw new WebhookCallError(`Unparsable URL: ${error.message}`, { isConfiguration: true })
  }
}
