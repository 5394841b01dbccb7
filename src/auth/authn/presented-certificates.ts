import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls'
import { goodPeriod, mayBeGoodChain } from '../../lib/certificate-path.ts'
import { type PeerChain, peerChain } from '../../lib/peer-chain.ts'
import type { Identity } from './authenticator.ts'
import { certificateUser, commonNameOf } from './certificate-user.ts'

/** Verified certificate that a client presented in the handshake. */
export interface PresentedCertificate extends PeerChain {
  /** Empty if the certificate has none. */
  readonly commonName: string
  /** Undefined if the certificate has no common name, `rejected` if its subject is invalid. */
  readonly user: Identity
  /** End of validity of the client's own certificate, in milliseconds since the epoch. */
  readonly expires: number
}

/**
 * Client certificates of connections. Each is read once, because connections are neither renegotiated nor resumed (see
 * `createSecurePort`).
 */
export class PresentedCertificates {
  readonly #shown = new WeakMap<Socket, PresentedCertificate | 'unverified' | 'none'>()
  readonly #readsUid: boolean
  readonly #authorities: () => readonly X509Certificate[]

  /**
   * @param readsUid whether certificates may carry a UID. @param authorities CAs that TLS verifies with. Default: none,
   * so that only certificates that TLS trusts are accepted.
   */
  constructor(readsUid = false, authorities: () => readonly X509Certificate[] = () => []) {
    this.#readsUid = readsUid
    this.#authorities = authorities
  }

  /** Returns the certificate of a connection. `unverified`: it is not trusted. */
  of(socket: Socket): PresentedCertificate | 'unverified' | 'none' {
    const known = this.#shown.get(socket)
    if (known !== undefined) return known
    const found = socket instanceof TLSSocket ? readCertificate(socket, this.#readsUid, this.#authorities) : 'none'
    this.#shown.set(socket, found)
    return found
  }
}

/** Whether the current CAs issued a certificate. */
export type Anchors = (shown: PresentedCertificate) => boolean

/**
 * Returns a check against the current CAs. Results are cached per connection until `authorities` returns another list.
 * Undefined means all CAs that TLS verifies with.
 */
export function anchors(authorities: () => readonly X509Certificate[] | undefined): Anchors {
  let believed: readonly X509Certificate[] | undefined
  /** Results for the current CAs. */
  let standing = new WeakMap<PresentedCertificate, boolean>()
  return shown => {
    const now = authorities()
    if (now !== believed) {
      believed = now
      standing = new WeakMap()
    }
    if (now === undefined) return true
    const known = standing.get(shown) ?? isAnchored(shown.chain, now)
    standing.set(shown, known)
    return known
  }
}

/** Reads the certificate that the client presented in the handshake. */
function readCertificate(
  socket: TLSSocket,
  readsUid: boolean,
  authorities: () => readonly X509Certificate[],
): PresentedCertificate | 'unverified' | 'none' {
  // Null if the peer presented none and the connection has ended.
  const certificate: DetailedPeerCertificate | null = socket.getPeerCertificate(true)
  if (certificate?.raw === undefined) return 'none'
  // A resumed session carries the result of an earlier connection.
  if (socket.isSessionReused() || !(socket.authorized || mayBeGoodChain(String(socket.authorizationError)))) return 'unverified'
  const times = peerChain(certificate)
  if (times === undefined) return 'unverified'
  // The client may have omitted its authority, whose period counts as well.
  const period = socket.authorized ? times : goodPeriod(times.chain, authorities(), 'clients', Date.now())
  if (period === undefined) return 'unverified'
  return {
    commonName: commonNameOf(certificate),
    user: certificateUser(certificate, readsUid),
    ...times,
    ...period,
    expires: Date.parse(certificate.valid_to),
  }
}

/**
 * Whether a CA is in the verified chain or issued one of its certificates. Intermediate certificates may come from the
 * client, so they must be CAs themselves.
 */
function isAnchored(chain: readonly Buffer[], authorities: readonly X509Certificate[]): boolean {
  for (const [i, der] of chain.entries()) {
    const certificate = new X509Certificate(der)
    if (i > 0 && !certificate.ca) return false
    if (
      authorities.some(
        authority => authority.raw.equals(der) || (certificate.checkIssued(authority) && certificate.verify(authority.publicKey)),
      )
    )
      return true
  }
  return false
}
