import { readFileSync } from 'node:fs'
import type { SecureContextOptions } from 'node:tls'
import type { ConnectProxy } from '../../lib/connect-proxy.ts'
import type { Spans } from '../../lib/spans.ts'
import { trustedCertificates } from '../../lib/trusted-certificates.ts'

/** How etcd is reached. */
export interface EtcdOptions {
  /** Addresses, all with `https://` or all with `http://` (or no scheme, which is the same). */
  readonly servers: readonly string[]
  /** Begins all keys that are read or written here, without a slash at its end. Default: `/registry`. */
  readonly prefix?: string
  /** PEM contents or the path of a file with them. */
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

/** A PEM given as it is, or in a file. */
function pem(source: string | undefined): Buffer | undefined {
  if (source === undefined) return undefined
  return source.includes('-----BEGIN') ? Buffer.from(source) : readFileSync(source)
}

/** What connections to the servers believe and show; undefined: they are without TLS. */
export function tlsOf(options: EtcdOptions): SecureContextOptions | undefined {
  const ca = pem(options.caFile)
  if (ca === undefined && !options.servers.some(server => server.startsWith('https:'))) return undefined
  const cert = pem(options.certFile)
  const key = pem(options.keyFile)
  return { ...(ca && trustedCertificates(ca)), ...(cert && { cert }), ...(key && { key }) }
}

/** Host and port of a server. */
export const addressOf = (server: string): string => server.replace(/^https?:\/\//, '')
