import { X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate, PeerCertificate } from 'node:tls'

/** The verified certificates of a peer. */
export interface PeerChain {
  /** Period in which every certificate of the chain is valid, in milliseconds since the epoch. */
  readonly notBefore: number
  readonly notAfter: number
  /** Certificate and its authorities, in DER. */
  readonly chain: readonly Buffer[]
}

/** Limit on the length of a chain. TLS does not verify longer ones. */
const MOST_CERTIFICATES = 20

/**
 * Returns the chain of a certificate. Undefined if a signature is invalid: the peer can send certificates that match an
 * issuer only by name.
 */
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
    // The last one is a trust anchor, which is its own issuer or has none here.
    if (issuer === undefined || issuer === certificate)
      return Number.isNaN(notBefore + notAfter) ? undefined : { notBefore, notAfter, chain }
    if (!isSignedBy(certificate, issuer)) return undefined
    certificate = issuer
  }
  return undefined
}

/** Whether the key of the issuer made the signature. A matching name proves nothing. */
function isSignedBy(certificate: PeerCertificate, issuer: PeerCertificate): boolean {
  try {
    return new X509Certificate(certificate.raw).verify(new X509Certificate(issuer.raw).publicKey)
  } catch {
    // The key cannot be parsed.
    return false
  }
}
