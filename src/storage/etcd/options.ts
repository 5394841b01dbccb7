import { readFileSync } from 'node:fs'
import { type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls'
import { type ConnectProxy, dialThrough } from '../../lib/connect-proxy.ts'
import { invariant } from '../../lib/invariant.ts'
import type { Spans } from '../../lib/spans.ts'
import { trustedCertificates } from '../../lib/trusted-certificates.ts'
import { USER_AGENT } from '../../lib/user-agent.ts'
import type { DialOptions } from '../../protocols/grpc/dial-server.ts'
import { parseEndpoint, usesTls } from './endpoint.ts'

/** How etcd is reached. */
export interface EtcdOptions {
  /** Addresses in the forms of `parseEndpoint`, all with TLS or all without. */
  readonly servers: readonly string[]
  /** Begins all keys that are read or written here, without a slash at its end. Default: `/registry`. */
  readonly prefix?: string
  /** PEM contents or the path of a file with them. Files are read again for each connection. */
  readonly caFile?: string
  readonly certFile?: string
  readonly keyFile?: string
  /** Milliseconds that a call may take, its waits for a connection included. Default 10,000. */
  readonly requestTimeoutMs?: number
  /** How much longer than asked for a key with a time to live may stay, so that keys share leases. Default 60. */
  readonly leaseReuseSeconds?: number
  /** Asked for the connections; without TLS. Absent: they are direct. */
  readonly proxy?: ConnectProxy | undefined
  /** Where calls are recorded. */
  readonly spans?: Spans | undefined
}

/** Addresses of the servers, as gRPC names them. */
export const addressesOf = (servers: readonly string[]): string[] => endpointsOf(servers).map(({ address }) => address)

const endpointsOf = (servers: readonly string[]) =>
  servers.map(server => {
    const endpoint = parseEndpoint(server)
    invariant(endpoint, `${JSON.stringify(server)} is not an address of etcd`)
    return endpoint
  })

/** A PEM given as it is, or in a file. */
function pem(source: string | undefined): Buffer | undefined {
  if (source === undefined) return undefined
  return source.includes('-----BEGIN') ? Buffer.from(source) : readFileSync(source)
}

/** How connections of our own are made. Throws an Error if the certificates cannot be used. */
export const dialOptionsOf = (options: EtcdOptions): DialOptions & { readonly credentials: (() => TlsCredentials) | undefined } => ({
  userAgent: USER_AGENT,
  credentials: credentialsOf(options),
  dial: options.proxy && dialThrough(options.proxy),
})

/** What a connection trusts and presents. */
export interface TlsCredentials extends Pick<ConnectionOptions, 'ca'> {
  readonly secureContext: SecureContext
}

/** Returns the credentials of a connection that begins now; undefined if connections to the servers are without TLS. Throws an Error if the files cannot be used. */
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
      // The files are being replaced: a certificate may be without its key for a moment.
    }
    return latest
  }
}

function readCredentials({ caFile, certFile, keyFile }: EtcdOptions): TlsCredentials {
  const [ca, cert, key] = [caFile, certFile, keyFile].map(pem)
  const secureContext = createSecureContext({ ...(ca && trustedCertificates(ca)), ...(cert && { cert }), ...(key && { key }) })
  return { secureContext, ...(ca && { ca }) }
}
