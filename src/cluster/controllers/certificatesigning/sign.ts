import { createHash, X509Certificate } from 'node:crypto'
import type { CertificateRequestContents } from '../../../lib/certificate-request.ts'
import {
  alternativeNames,
  authorityKeyIdentifier,
  basicConstraints,
  extendedKeyUsage,
  issuerOf,
  type KeyUsage,
  keyUsages,
  type Purpose,
  signCertificate,
} from '../../../lib/certificate-writer.ts'
import type { SigningAuthority } from '../../shared/environment.ts'
import { certificateTimes } from './validity.ts'

/** Bits of keyUsage by the usages of the API. */
const KEY_USAGES: Readonly<Record<string, KeyUsage>> = {
  signing: 'digitalSignature',
  'digital signature': 'digitalSignature',
  'content commitment': 'contentCommitment',
  'key encipherment': 'keyEncipherment',
  'key agreement': 'keyAgreement',
  'data encipherment': 'dataEncipherment',
  'cert sign': 'keyCertSign',
  'crl sign': 'cRLSign',
  'encipher only': 'encipherOnly',
  'decipher only': 'decipherOnly',
}

/** Purposes of extKeyUsage by the usages of the API. */
const PURPOSES: Readonly<Record<string, Purpose>> = {
  any: 'any',
  'server auth': 'server',
  'client auth': 'client',
  'code signing': 'codeSigning',
  'email protection': 'emailProtection',
  's/mime': 'emailProtection',
  'ipsec end system': 'ipsecEndSystem',
  'ipsec tunnel': 'ipsecTunnel',
  'ipsec user': 'ipsecUser',
  timestamping: 'timeStamping',
  'ocsp signing': 'ocspSigning',
  'microsoft sgc': 'microsoftSgc',
  'netscape sgc': 'netscapeSgc',
}

/** Contents of a certificate besides those of its request. */
export interface SigningOptions {
  readonly usages: readonly string[]
  readonly seconds: number
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Identifies the request. Equal requests get equal serial numbers at equal times, as forks with one seed need. */
  readonly identity: string
}

/**
 * Signs a certificate request. Returns PEM. Rejects with an Error if the request is not signed with its key, or the
 * authority has expired.
 */
export async function signRequest(
  request: CertificateRequestContents,
  { cert, key }: SigningAuthority,
  options: SigningOptions,
): Promise<string> {
  if (!request.isSigned) throw new Error('unable to verify certificate request signature')
  const { usages, seconds, now, identity } = options
  const issuer = issuerOf(cert, key)
  const bits = usages.flatMap(usage => KEY_USAGES[usage] ?? [])
  const purposes = usages.flatMap(usage => PURPOSES[usage] ?? [])
  const { dns, ips, emails, uris } = request
  const hasNames = [dns, ips, emails, uris].some(names => names.length > 0)
  return signCertificate({
    issuer,
    subject: request.subject,
    publicKey: request.key,
    ...certificateTimes(seconds, now, Date.parse(new X509Certificate(cert).validTo)),
    serial: createHash('sha256').update(`${identity} ${now}`).digest().subarray(0, 16),
    extensions: [
      ...(bits.length > 0 ? [keyUsages(...bits)] : []),
      ...(purposes.length > 0 ? [extendedKeyUsage(...purposes)] : []),
      basicConstraints(false),
      authorityKeyIdentifier(issuer),
      ...(hasNames ? [alternativeNames({ dns, ips, emails, uris })] : []),
    ],
  })
}
