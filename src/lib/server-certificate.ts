import { X509Certificate } from 'node:crypto'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { certificateNames } from './certificate-extensions.ts'
import { goodPeriod, mayBeGoodChain } from './certificate-path.ts'
import { errorCode } from './error-code.ts'
import { peerChain } from './peer-chain.ts'
import { decodeCertificate, pemCertificates } from './pem-certificates.ts'

/** Authorities of a connection's options, in PEM. */
type Authorities = ConnectionOptions['ca']

/**
 * Node's native handle of a connection. `verifyError` is OpenSSL's verdict on the server's certificate, which Node
 * reads once, after the handshake.
 */
interface TlsHandle {
  verifyError?(): Error | null | undefined
}

/**
 * Makes a connection to a server accept certificates that Go accepts but OpenSSL does not: those for any extended key
 * usage, and those with the name of their issuer. Must be called as soon as the connection is created. All other checks
 * are Node's, including that of the server's name. Applies only if authorities are given: public authorities do not
 * issue such certificates.
 */
export function acceptChainsOfGo(socket: TLSSocket, authorities: Authorities): TLSSocket {
  if (authorities === undefined) return socket
  judge(socket, authorities)
  // Node retries another address with a new handle.
  return socket.prependOnceListener('connect', () => judge(socket, authorities))
}

/** Connects to a server and verifies its certificate by Go's rules. */
export const connectTls = (options: ConnectionOptions): TLSSocket => acceptChainsOfGo(connect(options), options.ca)

function judge(socket: TLSSocket, authorities: Authorities): void {
  const handle = (socket as { _handle?: TlsHandle | null })._handle
  const verifyError = handle?.verifyError?.bind(handle)
  if (!handle || !verifyError || Object.hasOwn(handle, 'verifyError')) return
  handle.verifyError = () => {
    const error = verifyError()
    return mayBeGoodChain(errorCode(error)) && isGoodByGo(socket, authorities) ? null : error
  }
}

/** Verifies the whole chain, because OpenSSL may have stopped at this error before finding others. */
function isGoodByGo(socket: TLSSocket, authorities: Authorities): boolean {
  const peer = peerChain(socket.getPeerCertificate(true))
  const now = Date.now()
  return (
    peer !== undefined &&
    peer.notBefore <= now &&
    now <= peer.notAfter &&
    goodPeriod(peer.chain, authoritiesOf(peer.chain, authorities), 'servers', now) !== undefined
  )
}

/** Limit on the authorities that are tried for one chain. Go tries at most 100 signatures. */
const MOST_TRIED = 16

/**
 * Returns the authorities that a chain may lead to: those in it, and those with the name of an issuer. Only these are
 * parsed by OpenSSL, because a CA bundle may have more than a thousand.
 */
export function authoritiesOf(chain: readonly Buffer[], authorities: Authorities): X509Certificate[] {
  const issuers = chain.flatMap(der => certificateNames(der)?.issuer ?? [])
  const found: X509Certificate[] = []
  for (const pem of [authorities ?? []].flat().flatMap(text => pemCertificates(text.toString()))) {
    const der = decodeCertificate(pem)
    const authority = mayBeIn(chain, issuers, der) ? parsed(der) : undefined
    if (authority) found.push(authority)
    if (found.length === MOST_TRIED) break
  }
  return found
}

/** Whether an authority is in the chain, or has the name of an issuer. */
const mayBeIn = (chain: readonly Buffer[], issuers: readonly Buffer[], authority: Buffer): boolean =>
  // Most authorities need not be decoded to find out that they do not have the name.
  issuers.some(issuer => authority.includes(issuer) && certificateNames(authority)?.subject.equals(issuer)) ||
  chain.some(der => der.equals(authority))

function parsed(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der)
  } catch {
    return undefined
  }
}
