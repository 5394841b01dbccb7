import { type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls'
import { readConfigFileSync } from '../../lib/bounded-input.ts'
import { type ConnectProxy, dialThrough } from '../../lib/connect-proxy.ts'
import { invariant } from '../../lib/invariant.ts'
import type { Spans } from '../../lib/spans.ts'
import { trustedCertificates } from '../../lib/trusted-certificates.ts'
import { USER_AGENT } from '../../lib/user-agent.ts'
import type { DialOptions } from '../../protocols/grpc/dial-server.ts'
import { parseEndpoint, usesTls } from './endpoint.ts'

/** Addresses, credentials and timeouts of an etcd. */
export interface EtcdOptions {
  /** Addresses in the forms of `parseEndpoint`, all with TLS or all without. */
  readonly servers: readonly string[]
  /** Common prefix of all keys, without a trailing slash. Default: `/registry`. */
  readonly prefix?: string
  /** PEM contents, or the path of a PEM file. Files are read again for each connection. */
  readonly caFile?: string
  readonly certFile?: string
  readonly keyFile?: string
  /** Timeout of a call in milliseconds, including waits for a connection. Default: 10,000. */
  readonly requestTimeoutMs?: number
  /** Seconds by which a key may outlive its time to live, so that keys can share leases. Default: 60. */
  readonly leaseReuseSeconds?: number
  /**
   * Whether whole ranges are read with RangeStream if the members have it (the gate EtcdRangeStream). Default: false.
   */
  readonly rangeStream?: boolean
  /** Optional. Proxy for the connections, which is reached without TLS. Connections are direct if it is omitted. */
  readonly proxy?: ConnectProxy | undefined
  /** Optional. Records calls. */
  readonly spans?: Spans | undefined
}

/** Returns the addresses of the servers in gRPC's notation. */
export const addressesOf = (servers: readonly string[]): string[] => endpointsOf(servers).map(({ address }) => address)

const endpointsOf = (servers: readonly string[]) =>
  servers.map(server => {
    const endpoint = parseEndpoint(server)
    invariant(endpoint, `${JSON.stringify(server)} is not an address of etcd`)
    return endpoint
  })

/** Returns PEM contents, which may be given directly or in a file. */
function pem(source: string | undefined): Buffer | undefined {
  if (source === undefined) return undefined
  return source.includes('-----BEGIN') ? Buffer.from(source) : readConfigFileSync(source)
}

/** Returns the options for our own connections. Throws an Error if the certificates cannot be used. */
export const dialOptionsOf = (options: EtcdOptions): DialOptions & { readonly credentials: (() => TlsCredentials) | undefined } => ({
  userAgent: USER_AGENT,
  credentials: credentialsOf(options),
  dial: options.proxy && dialThrough(options.proxy),
})

/** Trust anchors and client certificate of a connection. */
export interface TlsCredentials extends Pick<ConnectionOptions, 'ca'> {
  readonly secureContext: SecureContext
}

/**
 * Returns a function that reads the credentials for a new connection; undefined if the servers are reached without TLS.
 * Throws an Error if the files cannot be used.
 */
function credentialsOf(options: EtcdOptions): (() => TlsCredentials) | undefined {
  const { servers, caFile, certFile, keyFile } = options
  const isSecure = usesTls(endpointsOf(servers), (caFile ?? certFile ?? keyFile) !== undefined)
  invariant(isSecure !== undefined, 'some servers of etcd are with TLS and some without')
  if (!isSecure) return undefined
  let latest = readCredentials(options)
  return () => {
    try {
      latest = readCredentials(options)
    } catch {
      // The files are being replaced: a certificate and its key may not match for a moment.
    }
    return latest
  }
}

function readCredentials({ caFile, certFile, keyFile }: EtcdOptions): TlsCredentials {
  const [ca, cert, key] = [caFile, certFile, keyFile].map(pem)
  const secureContext = createSecureContext({ ...(ca && trustedCertificates(ca)), ...(cert && { cert }), ...(key && { key }) })
  return { secureContext, ...(ca && { ca }) }
}
