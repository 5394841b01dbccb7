import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { type DetailedPeerCertificate, type PeerCertificate, TLSSocket } from 'node:tls'
import type { HistogramChild } from '../../lib/metrics.ts'
import type { User } from '../../meta/context.ts'
import { type Authenticator, authenticated, type Identity } from './authenticator.ts'

/** What a connection's certificate says, and while it may say so, in milliseconds since the epoch. */
interface Shown {
  readonly identity: Identity
  readonly notBefore: number
  readonly notAfter: number
  /** When the client's own certificate ends. */
  readonly expires: number
  /** The certificate and its authorities, in DER. */
  readonly chain: readonly Buffer[]
}

/** Longer chains than this are no chains that TLS has verified. */
const MOST_CERTIFICATES = 20
const NONE: Shown = {
  identity: undefined,
  notBefore: Number.NEGATIVE_INFINITY,
  notAfter: Number.POSITIVE_INFINITY,
  expires: Number.POSITIVE_INFINITY,
  chain: [],
}
const REJECTED: Shown = { ...NONE, identity: 'rejected' }

/**
 * The common name of a client's certificate is its user, the organizations are its groups
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates). TLS has verified the chain when the connection was made, and the connection can
 * neither be renegotiated nor resumed (see `createSecurePort`), so it is read once. Whether every certificate of the chain is still valid is asked with each request, and whenever
 * `authorities` gives others, whether they still stand for it. Undefined: they are those by which TLS has verified it.
 * `expirations`: where the seconds that certificates have left are counted.
 */
export function clientCertificate(
  now: () => number,
  authorities: () => readonly X509Certificate[] | undefined = () => undefined,
  expirations?: HistogramChild,
): Authenticator {
  const shown = new WeakMap<Socket, Shown>()
  let believed: readonly X509Certificate[] | undefined
  /** By the authorities of now. */
  let standing = new WeakMap<Shown, boolean>()
  const stands = (found: Shown): boolean => {
    if (authorities() !== believed) {
      believed = authorities()
      standing = new WeakMap()
    }
    if (believed === undefined) return true
    const known = standing.get(found) ?? isAnchored(found.chain, believed)
    standing.set(found, known)
    return known
  }
  return ({ socket }) => {
    let found = shown.get(socket)
    if (found === undefined) {
      found = socket instanceof TLSSocket ? read(socket) : NONE
      shown.set(socket, found)
    }
    if (found.identity === undefined) return undefined
    const time = now()
    if (found !== REJECTED) expirations?.observe((found.expires - time) / 1000)
    return time < found.notBefore || time > found.notAfter || (found.chain.length > 0 && !stands(found)) ? 'rejected' : found.identity
  }
}

/** What the client showed in the handshake. A resumed session is rejected: its certificate was verified on another connection. */
function read(socket: TLSSocket): Shown {
  // Null where the peer has shown none on a connection that has ended.
  const certificate: DetailedPeerCertificate | null = socket.getPeerCertificate(true)
  if (certificate?.raw === undefined) return NONE
  // A resumed session carries the verdict of an earlier connection.
  if (!socket.authorized || socket.isSessionReused()) return REJECTED
  const times = validityOf(certificate)
  return times === undefined ? REJECTED : { identity: userOf(certificate), ...times, expires: Date.parse(certificate.valid_to) }
}

/** When the whole chain is valid. Undefined where a link does not hold: the client may send certificates that only bear an issuer's name. */
function validityOf(leaf: DetailedPeerCertificate): Pick<Shown, 'notBefore' | 'notAfter' | 'chain'> | undefined {
  const chain: Buffer[] = []
  let notBefore = Number.NEGATIVE_INFINITY
  let notAfter = Number.POSITIVE_INFINITY
  let certificate = leaf
  for (let i = 0; i < MOST_CERTIFICATES; i++) {
    chain.push(certificate.raw)
    notBefore = Math.max(notBefore, Date.parse(certificate.valid_from))
    notAfter = Math.min(notAfter, Date.parse(certificate.valid_to))
    const issuer: DetailedPeerCertificate | undefined = certificate.issuerCertificate
    // The last is a trust anchor: it is its own issuer, or has none here.
    if (issuer === undefined || issuer === certificate) return Number.isNaN(notBefore + notAfter) ? undefined : { notBefore, notAfter, chain }
    if (!isSignedBy(certificate, issuer)) return undefined
    certificate = issuer
  }
  return undefined
}

/** Whether an authority is in the chain, whose links hold, or has signed a certificate of it; the client may have sent some of them, so that those between have to be authorities. */
function isAnchored(chain: readonly Buffer[], authorities: readonly X509Certificate[]): boolean {
  for (const [i, der] of chain.entries()) {
    const certificate = new X509Certificate(der)
    if (i > 0 && !certificate.ca) return false
    if (authorities.some(authority => authority.raw.equals(der) || (certificate.checkIssued(authority) && certificate.verify(authority.publicKey)))) return true
  }
  return false
}

/** Whether the key of the issuer made the signature. Names alone say nothing. */
function isSignedBy(certificate: PeerCertificate, issuer: PeerCertificate): boolean {
  try {
    return new X509Certificate(certificate.raw).verify(new X509Certificate(issuer.raw).publicKey)
  } catch {
    // A key that cannot be read.
    return false
  }
}

/** Undefined for a certificate without a common name: it says of nobody that it is theirs. Of several common names the last counts, as in Go. */
export function userOf(certificate: Pick<PeerCertificate, 'subject' | 'fingerprint256'>): User | undefined {
  const subject = certificate.subject as { CN?: string | string[]; O?: string | string[] } | undefined
  const name = Array.isArray(subject?.CN) ? subject.CN.at(-1) : subject?.CN
  if (name === undefined || name === '') return undefined
  const groups = subject?.O === undefined ? [] : Array.isArray(subject.O) ? subject.O : [subject.O]
  const id = certificate.fingerprint256.replaceAll(':', '').toLowerCase()
  return authenticated({ name, groups, extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${id}`] } })
}
