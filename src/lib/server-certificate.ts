import { X509Certificate } from 'node:crypto'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { isGoodChain } from './certificate-path.ts'
import { errorCode } from './error-code.ts'
import { peerChain } from './peer-chain.ts'
import { pemCertificates } from './pem-certificates.ts'

/** Authorities of the options of a connection: PEM. */
type Authorities = ConnectionOptions['ca']

/** The native side of a connection. `verifyError` is OpenSSL's verdict on the certificate of the server, which Node asks for once, when the handshake is done. */
interface TlsHandle {
  verifyError?(): Error | null | undefined
}

/**
 * Has a connection to a server accept certificates whose purpose Go accepts and OpenSSL does not: those for any extended key usage. To be called as soon as the connection is made. Everything else is
 * Node's, the name of the server included. With authorities other than those of the system only: public ones issue no such certificates.
 */
export function acceptPurposesOfGo(socket: TLSSocket, authorities: Authorities): TLSSocket {
  if (authorities === undefined) return socket
  judge(socket, authorities)
  // An address that could not be reached has another handle than the next one.
  return socket.prependOnceListener('connect', () => judge(socket, authorities))
}

/** A connection to a server whose certificate is verified by Go's rules of purposes. */
export const connectTls = (options: ConnectionOptions): TLSSocket => acceptPurposesOfGo(connect(options), options.ca)

function judge(socket: TLSSocket, authorities: Authorities): void {
  const handle = (socket as { _handle?: TlsHandle | null })._handle
  const verifyError = handle?.verifyError?.bind(handle)
  if (!handle || !verifyError || Object.hasOwn(handle, 'verifyError')) return
  handle.verifyError = () => {
    const error = verifyError()
    return errorCode(error) === 'INVALID_PURPOSE' && isGoodByGo(socket, authorities) ? null : error
  }
}

/** OpenSSL may have found other faults before, so that the whole chain is looked at. */
function isGoodByGo(socket: TLSSocket, authorities: Authorities): boolean {
  const peer = peerChain(socket.getPeerCertificate(true))
  const now = Date.now()
  return peer !== undefined && peer.notBefore <= now && now <= peer.notAfter && isGoodChain(peer.chain, certificatesOf(authorities), 'servers')
}

const certificatesOf = (authorities: Authorities): X509Certificate[] =>
  [authorities ?? []].flat().flatMap(pem => pemCertificates(pem.toString()).map(certificate => new X509Certificate(certificate)))
