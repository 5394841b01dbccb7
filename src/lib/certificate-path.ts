import { X509Certificate } from 'node:crypto'
import { BASIC_CONSTRAINTS, type CertificateExtension, extensionsOf, isSignedWithOldDigest } from './certificate-extensions.ts'

const ANY_PURPOSE = '2.5.29.37.0'
/** Extended key usage by purpose of the verification. */
const PURPOSES = { clients: '1.3.6.1.5.5.7.3.2', servers: '1.3.6.1.5.5.7.3.1' } as const

export type CertificatePurpose = keyof typeof PURPOSES

/**
 * Extensions that are checked here or restrict nothing. Any other critical extension makes a certificate invalid.
 * OpenSSL checks name and policy constraints.
 */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  '2.5.29.14', // subject key identifier
  '2.5.29.15', // key usage
  '2.5.29.17', // subject alternative name
  BASIC_CONSTRAINTS,
  '2.5.29.31', // CRL distribution points
  '2.5.29.35', // authority key identifier
  '2.5.29.37', // extended key usage
])
const NAME_CONSTRAINTS = '2.5.29.30'
const LEAST_RSA_BITS = 2048

/**
 * OpenSSL's verdicts on chains that Go's crypto/x509 may accept. OpenSSL rejects certificates for any purpose
 * (anyExtendedKeyUsage), and those whose key usage does not match the signature of the handshake. Without an authority
 * key identifier, it takes a certificate with the name of its issuer for self-signed, and tries only one authority of a
 * name, while Go tries the keys of all. Go creates such certificates itself if both names are the same, as those of
 * webhooks built with knative.dev/pkg.
 */
const STRICTER_THAN_GO: ReadonlySet<string> = new Set([
  'INVALID_PURPOSE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_SIGNATURE_FAILURE',
])

/** Whether `goodPeriod` may accept a chain that OpenSSL rejected with this code. Other errors may exist as well. */
export const mayBeGoodChain = (code: string | undefined): boolean => code !== undefined && STRICTER_THAN_GO.has(code)

/** Period in which certificates are valid, in milliseconds since the epoch. */
export interface ValidPeriod {
  readonly notBefore: number
  readonly notAfter: number
}

/**
 * Judges a chain by the rules of Go's crypto/x509 for clients (ExtKeyUsageClientAuth) or servers
 * (ExtKeyUsageServerAuth). Returns the period in which it and the authority that it leads to are valid. Undefined if it
 * is not valid now, or a certificate cannot be parsed. `chain`: DER, the peer's certificate first, each signed by the
 * next. `now`: in milliseconds since the epoch.
 */
export function goodPeriod(
  chain: readonly Buffer[],
  authorities: readonly X509Certificate[],
  purpose: CertificatePurpose,
  now: number,
): ValidPeriod | undefined {
  try {
    const path = pathTo(
      chain,
      authorities.filter(authority => isCurrent(authority, now)),
    )
    const isGood = path?.every(
      (certificate, index) =>
        isGoodAt(certificate, index, index === path.length - 1) && isFor(certificate, PURPOSES[purpose]) && isCurrent(certificate, now),
    )
    return path && isGood
      ? {
          notBefore: Math.max(...path.map(({ validFrom }) => Date.parse(validFrom))),
          notAfter: Math.min(...path.map(({ validTo }) => Date.parse(validTo))),
        }
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the certificates from the peer's own to an authority. `authorities`: valid now. A renewed authority may have
 * the name and the key of one that has expired.
 */
function pathTo(chain: readonly Buffer[], authorities: readonly X509Certificate[]): X509Certificate[] | undefined {
  const path: X509Certificate[] = []
  for (const der of chain) {
    const certificate = new X509Certificate(der)
    path.push(certificate)
    if (authorities.some(authority => authority.raw.equals(der))) return path
    const issuer = authorities.find(authority => certificate.checkIssued(authority) && certificate.verify(authority.publicKey))
    if (issuer) return [...path, issuer]
  }
  return undefined
}

/**
 * Whether a certificate is valid at its position in the chain: each but the first is an authority and allows the number
 * of authorities below it.
 */
function isGoodAt(certificate: X509Certificate, index: number, isAnchor: boolean): boolean {
  const extensions = extensionsOf(certificate.raw)
  if (extensions.some(({ id, isCritical }) => id === NAME_CONSTRAINTS || (isCritical && !UNDERSTOOD.has(id)))) return false
  if (isShort(certificate)) return false
  if (!isAnchor && isSignedWithOldDigest(certificate.raw)) return false
  return index === 0 || (certificate.ca && index - 1 <= mostBelow(extensions))
}

/**
 * Whether the certificate may be used for the purpose. Node calls the extended key usage `keyUsage`; undefined if it is
 * not restricted.
 */
function isFor({ keyUsage }: X509Certificate, purpose: string): boolean {
  const purposes: readonly string[] | undefined = keyUsage
  return purposes === undefined || purposes.length === 0 || purposes.includes(ANY_PURPOSE) || purposes.includes(purpose)
}

const isCurrent = ({ validFrom, validTo }: X509Certificate, now: number): boolean =>
  Date.parse(validFrom) <= now && now <= Date.parse(validTo)

const isShort = ({ publicKey: { asymmetricKeyDetails } }: X509Certificate): boolean =>
  (asymmetricKeyDetails?.modulusLength ?? LEAST_RSA_BITS) < LEAST_RSA_BITS

/** Authorities that there may be between an authority and the peer's certificate. */
const mostBelow = (extensions: readonly CertificateExtension[]): number =>
  extensions.find(({ id }) => id === BASIC_CONSTRAINTS)?.pathLength ?? Number.POSITIVE_INFINITY
