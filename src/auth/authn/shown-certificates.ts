import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls'
import { isGoodChain } from '../../lib/certificate-path.ts'
import { type PeerChain, peerChain } from '../../lib/peer-chain.ts'
import type { Identity } from './authenticator.ts'
import { commonNameOf, userOf } from './certificate-user.ts'

/** The certificate that a client showed in the handshake, whose chain is verified. */
export interface Shown extends PeerChain {
  /** Empty: it has none. */
  readonly commonName: string
  /** Undefined of a certificate without a common name, `rejected` of one whose subject makes no user. */
  readonly user: Identity
  /** When the client's own certificate ends. */
  readonly expires: number
}

/** The certificates of connections. They are read once: a connection can neither be renegotiated nor resumed (see `createSecurePort`). */
export class ShownCertificates {
  private readonly shown = new WeakMap<Socket, Shown | 'unverified' | 'none'>()
  private readonly readsUid: boolean
  private readonly authorities: () => readonly X509Certificate[]

  /** `readsUid`: they may say the uid of their user. `authorities`: the authorities by which TLS verifies. Default: none, so that only certificates that TLS trusts are accepted. */
  constructor(readsUid = false, authorities: () => readonly X509Certificate[] = () => []) {
    this.readsUid = readsUid
    this.authorities = authorities
  }

  /** `unverified`: a certificate that is not trusted. */
  of(socket: Socket): Shown | 'unverified' | 'none' {
    const known = this.shown.get(socket)
    if (known !== undefined) return known
    const found = socket instanceof TLSSocket ? read(socket, this.readsUid, this.authorities) : 'none'
    this.shown.set(socket, found)
    return found
  }
}

/** Whether authorities stand for a certificate. */
export type Anchors = (shown: Shown) => boolean

/** The authorities of now. They are compared with the certificate of a connection once, and again whenever `authorities` gives others. Undefined: they are all by which TLS verifies. */
export function anchors(authorities: () => readonly X509Certificate[] | undefined): Anchors {
  let believed: readonly X509Certificate[] | undefined
  /** By the authorities of now. */
  let standing = new WeakMap<Shown, boolean>()
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

/** What the client showed in the handshake. */
function read(socket: TLSSocket, readsUid: boolean, authorities: () => readonly X509Certificate[]): Shown | 'unverified' | 'none' {
  // Null where the peer has shown none on a connection that has ended.
  const certificate: DetailedPeerCertificate | null = socket.getPeerCertificate(true)
  if (certificate?.raw === undefined) return 'none'
  // A resumed session carries the verdict of an earlier connection.
  if (socket.isSessionReused() || !(socket.authorized || isOfOtherPurpose(socket))) return 'unverified'
  const times = peerChain(certificate)
  if (times === undefined) return 'unverified'
  if (!socket.authorized && !isGoodChain(times.chain, authorities(), 'clients')) return 'unverified'
  return { commonName: commonNameOf(certificate), user: userOf(certificate, readsUid), ...times, expires: Date.parse(certificate.valid_to) }
}

/** Whether OpenSSL finds that the certificate, or an authority of it, is not for clients. It may have found other faults before. */
const isOfOtherPurpose = ({ authorizationError }: TLSSocket): boolean => String(authorizationError) === 'INVALID_PURPOSE'

/** Whether an authority is in the chain, whose links hold, or has signed a certificate of it; the client may have sent some of them, so that those between have to be authorities. */
function isAnchored(chain: readonly Buffer[], authorities: readonly X509Certificate[]): boolean {
  for (const [i, der] of chain.entries()) {
    const certificate = new X509Certificate(der)
    if (i > 0 && !certificate.ca) return false
    if (authorities.some(authority => authority.raw.equals(der) || (certificate.checkIssued(authority) && certificate.verify(authority.publicKey)))) return true
  }
  return false
}
