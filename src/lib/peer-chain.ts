import { X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate, PeerCertificate } from 'node:tls'

/** The certificates of a peer. */
export interface PeerChain {
  /** While every certificate of the chain is valid, in milliseconds since the epoch. */
  readonly notBefore: number
  readonly notAfter: number
  /** The certificate and its authorities, in DER. */
  readonly chain: readonly Buffer[]
}

/** Longer chains than this are no chains that TLS has verified. */
const MOST_CERTIFICATES = 20

/** The chain of a certificate. Undefined if a link does not hold: the peer may send certificates that only bear an issuer's name. */
export function peerChain(leaf: DetailedPeerCertificate): PeerChain | undefined {
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

/** Whether the key of the issuer made the signature. Names alone say nothing. */
function isSignedBy(certificate: PeerCertificate, issuer: PeerCertificate): boolean {
  try {
    return new X509Certificate(certificate.raw).verify(new X509Certificate(issuer.raw).publicKey)
  } catch {
    // A key that cannot be read.
    return false
  }
}
