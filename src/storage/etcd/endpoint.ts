import { hostAndPort } from '../../lib/host-and-port.ts'

/** Address of an etcd server. */
export interface Endpoint {
  /** `host:port` or `unix:path`, in gRPC's notation. */
  readonly address: string
  /** Whether the scheme requires TLS. Undefined if there is no scheme. */
  readonly isSecure: boolean | undefined
}

/**
 * Parses `http://host:port`, `https://host:port`, `host:port`, `unix:///path` and `unixs:///path`. Socket paths may
 * also be relative: `unix:path` and `unix://path`. Undefined for any other text. Source:
 * https://github.com/etcd-io/etcd/blob/main/client/v3/internal/endpoint/endpoint.go
 */
export function parseEndpoint(text: string): Endpoint | undefined {
  const [, secureSocket, path] = /^unix(s?):(?:\/\/)?(\/?[^/].*)$/.exec(text) ?? []
  if (path !== undefined) return { address: `unix:${path}`, isSecure: secureSocket === 's' }
  const [, secure, address = text] = /^http(s?):\/\/([^/]+)\/?$/.exec(text) ?? []
  return hostAndPort(address) && { address, isSecure: secure === undefined ? undefined : secure === 's' }
}

/**
 * Reports whether connections to the servers use TLS. The scheme decides; if no server has one, the presence of
 * certificates does. Undefined if the schemes differ, because one client connects to all servers in the same way.
 * `hasCertificates`: whether the client has certificates or authorities for etcd.
 */
export function usesTls(endpoints: readonly Endpoint[], hasCertificates: boolean): boolean | undefined {
  const schemes = new Set(endpoints.flatMap(({ isSecure }) => isSecure ?? []))
  if (schemes.size > 1) return undefined
  const [isSecure = hasCertificates] = schemes
  return isSecure
}
