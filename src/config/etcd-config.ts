import { type Endpoint, parseEndpoint, usesTls } from '../storage/etcd/endpoint.ts'
import type { Reader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'

/** Where etcd is, the files by which both sides prove who they are, and how it is asked. */
export interface EtcdConfig {
  /** In the forms of `parseEndpoint`, without a slash at the end. All with TLS or all without. */
  readonly servers: readonly string[]
  /** Resources that other servers hold. */
  readonly overrides: readonly EtcdOverride[]
  readonly caFile: string | undefined
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
  /** How much longer than asked for a key with a time to live may stay, so that others share its lease. */
  readonly leaseReuseSeconds: number
}

export interface EtcdOverride {
  /** `events`, `deployments.apps`. */
  readonly resource: string
  /** As those of EtcdConfig. */
  readonly servers: readonly string[]
}

/** Undefined: the store is embedded. Throws FlagError. */
export function etcdOf(read: Reader): EtcdConfig | undefined {
  const servers = read.list('etcd-servers')
  const overrides = read.list('etcd-servers-overrides')
  if (servers.length === 0) {
    if (overrides.length > 0) throw new FlagError('--etcd-servers-overrides needs --etcd-servers, which hold all other resources')
    return undefined
  }
  const client = read.pair('etcd-certfile', 'etcd-keyfile')
  return {
    servers: serversOf('etcd-servers', servers),
    overrides: overrides.map(overrideOf),
    caFile: read.text('etcd-cafile'),
    certFile: client?.cert,
    keyFile: client?.key,
    leaseReuseSeconds: read.int('lease-reuse-duration-seconds', 0),
  }
}

/** The servers of one store. */
function serversOf(flag: string, servers: readonly string[]): string[] {
  const endpoints = servers.map(server => endpointOf(flag, server))
  if (usesTls(endpoints, false) === undefined) throw new FlagError(`--${flag}: ${servers.join(', ')}: all servers must be with TLS, or all without`)
  return servers.map(server => server.replace(/\/$/, ''))
}

function endpointOf(flag: string, server: string): Endpoint {
  const endpoint = parseEndpoint(server)
  if (!endpoint)
    throw new FlagError(`--${flag}: ${JSON.stringify(server)} is not an address such as http://127.0.0.1:2379, 127.0.0.1:2379 or unix:///run/etcd.sock`)
  return endpoint
}

/** `group/resource#servers`; the core group has no name. */
function overrideOf(text: string): EtcdOverride {
  const [what = '', servers = '', ...more] = text.split('#')
  const [group = '', resource = '', ...deeper] = what.split('/')
  if (resource === '' || servers === '' || more.length + deeper.length > 0)
    throw new FlagError(
      `--etcd-servers-overrides: ${JSON.stringify(text)} is invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated`,
    )
  return {
    resource: group === '' ? resource : `${resource}.${group}`,
    servers: serversOf('etcd-servers-overrides', servers.split(';')),
  }
}
