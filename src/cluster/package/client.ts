import type { ApiClient, ServerAccess } from '../../clients/api-client.ts'
import { readKubeconfig } from '../../clients/cluster-access.ts'
import { HttpApiClient } from '../../clients/http-api-client.ts'
import { isStatusError } from '../../meta/status.ts'

export { Informer } from '../shared/informer.ts'

/** A client over HTTP. */
export interface HttpClient extends ApiClient {
  /** Closes its connections. Requests in progress reject. */
  close(): void
}

/** A rejection of the server, by which every call of a client may reject. Its message is that of the server. */
export interface ApiError extends Error {
  /** HTTP status. */
  readonly code: number
  /** Reason such as `NotFound`, `AlreadyExists`, `Conflict`, `Invalid` or `Expired`. Empty if the server gives none. */
  readonly reason: string
}

/**
 * Opens a client of a server over HTTP, of this program or of kube-apiserver. It keeps connections until it is closed.
 * Throws a TypeError if the URL is invalid.
 *
 * @param access a server of `startServer`, a control plane of `startControlPlane`, or the result of `accessOf`.
 */
export const openClient = (access: ServerAccess): HttpClient => new HttpApiClient(access)

/**
 * Reads the address and credentials of a server from a kubeconfig. Throws an Error if the file is invalid, or has
 * credentials of a plugin or a password.
 *
 * @param context default: the current one.
 */
export function accessOf(kubeconfig: string, context?: string): ServerAccess {
  const { server, tls, headers } = readKubeconfig(kubeconfig, context)
  const [, token] = /^Bearer (.*)$/s.exec(headers.authorization ?? '') ?? []
  if (headers.authorization !== undefined && token === undefined)
    throw new Error(`${kubeconfig}: passwords are not supported: use a token or a client certificate`)
  const { ca, cert, key, servername, rejectUnauthorized } = tls
  return {
    url: server.href,
    ...(ca !== undefined && { certificateAuthority: String(ca) }),
    ...(cert !== undefined && { clientCertificate: String(cert) }),
    ...(key !== undefined && { clientKey: String(key) }),
    ...(token !== undefined && { token }),
    ...(servername !== undefined && { tlsServerName: servername }),
    ...(rejectUnauthorized === false && { insecureSkipTlsVerify: true }),
  }
}

/**
 * Reports whether an error is a rejection of the server with one of the reasons. Without reasons, every rejection is.
 */
export const isApiError = (error: unknown, ...reasons: readonly string[]): error is ApiError => isStatusError(error, ...reasons)
