import { type Endpoint, parseEndpoint, usesTls } from '../storage/etcd/endpoint.ts'
import type { FlagReader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'

/** Address and credentials of etcd. */
export interface EtcdConfig {
  /** Endpoints in the forms of `parseEndpoint`, without trailing slash. Either all use TLS or none. */
  readonly servers: readonly string[]
  /** Resources that are stored on other servers. */
  readonly overrides: readonly EtcdOverride[]
  /** CAs of the servers. Undefined for those of the system. */
  readonly caFile: string | undefined
  /** Client certificate. Set together with the key. */
  readonly certFile: string | undefined
  /** Key of the client certificate. */
  readonly keyFile: string | undefined
  /** Maximum excess of a key's TTL, so that keys can share a lease. */
  readonly leaseReuseSeconds: number
}

/** Servers of one resource. */
export interface EtcdOverride {
  /** Such as `events` or `deployments.apps`. */
  readonly resource: string
  /** Same form as in EtcdConfig. */
  readonly servers: readonly string[]
}

/** Parses the etcd flags. Undefined for the embedded store. Throws FlagError. */
export function etcdOf(read: FlagReader): EtcdConfig | undefined {
  const servers = read.list('etcd-servers')
  const overrides = read.list('etcd-servers-overrides')
  if (servers.length === 0) {
    if (overrides.length > 0) throw new FlagError('--etcd-servers-overrides requires --etcd-servers, for all other resources')
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

/** Validates the endpoints of one store. */
function serversOf(flag: string, servers: readonly string[]): string[] {
  const endpoints = servers.map(server => endpointOf(flag, server))
  if (usesTls(endpoints, false) === undefined)
    throw new FlagError(`--${flag}: ${servers.join(', ')}: either all servers or none must use TLS`)
  return servers.map(server => server.replace(/\/$/, ''))
}

/** Parses an endpoint. Throws FlagError that names the flag. */
function endpointOf(flag: string, server: string): Endpoint {
  const endpoint = parseEndpoint(server)
  if (!endpoint)
    throw new FlagError(
      `--${flag}: ${JSON.stringify(server)} is not an address such as http://127.0.0.1:2379, 127.0.0.1:2379 or unix:///run/etcd.sock`,
    )
  return endpoint
}

/** Parses `group/resource#servers`. The core group is empty. */
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
