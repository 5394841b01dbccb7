import { isIP } from 'node:net'
import { errorCode } from './error-code.ts'
import { errorMessage } from './error-message.ts'

/** A failed connection, with the error of Go's net package, as kube-apiserver reports it. */
export class DialError extends Error {
  override readonly name = 'DialError'
}

const SYSTEM: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
  EADDRNOTAVAIL: 'connect: cannot assign requested address',
}

const UNKNOWN_AUTHORITY = 'x509: certificate signed by unknown authority'
/** OpenSSL's message, because this error has no code. */
const WEAK_SIGNATURE = 'CA signature digest algorithm too weak'
const INSECURE_SIGNATURE = `${UNKNOWN_AUTHORITY} (possibly because of "x509: cannot verify signature: insecure algorithm SHA1")`
const CERTIFICATE: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'x509: certificate has expired or is not yet valid',
}

/** Converts an error of Node. `address`: host and port, as dialled. */
export function dialError(error: unknown, address: string): DialError {
  const code = errorCode(error) ?? ''
  const message = errorMessage(error)
  const system = SYSTEM[code]
  if (system !== undefined) return new DialError(`dial tcp ${address}: ${system}`)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return new DialError(`dial tcp: lookup ${address.replace(/:\d+$/, '')}: no such host`)
  const certificate = CERTIFICATE[code]
  if (certificate !== undefined) return new DialError(`tls: failed to verify certificate: ${certificate}`)
  if (message === WEAK_SIGNATURE) return new DialError(`tls: failed to verify certificate: ${INSECURE_SIGNATURE}`)
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return new DialError(`tls: failed to verify certificate: x509: ${hostnameText(error) ?? message}`)
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return new DialError('tls: first record does not look like a TLS handshake')
  if (code === 'ECONNRESET' || code === 'EPIPE') return new DialError('EOF')
  return new DialError(message)
}

/** Node's TLS error with the code ERR_TLS_CERT_ALTNAME_INVALID. */
interface AltNameError {
  readonly host: string
  readonly cert: { readonly subjectaltname?: string; readonly subject?: { readonly CN?: string } }
}

const isAltNameError = (error: unknown): error is AltNameError =>
  typeof error === 'object' &&
  error !== null &&
  'host' in error &&
  typeof error.host === 'string' &&
  'cert' in error &&
  typeof error.cert === 'object' &&
  error.cert !== null

/** Formats the host and the names of the certificate like crypto/x509's HostnameError. */
function hostnameText(error: unknown): string | undefined {
  if (!isAltNameError(error)) return undefined
  const { host, cert } = error
  const names = (cert.subjectaltname ?? '').split(', ').filter(name => name !== '')
  if (names.length === 0 && cert.subject?.CN === host) return 'certificate relies on legacy Common Name field, use SANs instead'
  const address = isIP(host) !== 0
  const prefix = address ? 'IP Address:' : 'DNS:'
  const valid = names.filter(name => name.startsWith(prefix)).map(name => name.slice(prefix.length))
  if (address && valid.length === 0) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
  if (valid.length === 0) return `certificate is not valid for any names, but wanted to match ${host}`
  return `certificate is valid for ${valid.join(', ')}, not ${host}`
}
