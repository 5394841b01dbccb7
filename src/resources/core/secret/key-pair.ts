import { createPrivateKey, type KeyObject } from 'node:crypto'
import { decodePem, type PemBlock } from '../../../lib/decode-pem.ts'
import { parseCertificate } from '../../certificates/certificates.ts'

const MOST = 65_536
const isKey = ({ type }: PemBlock): boolean => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY')

/**
 * Returns the reason why the pair cannot be used for TLS, in the words of Go's tls.X509KeyPair, or undefined if it can.
 * The first certificate must belong to the key. All certificates that cannot be parsed have the same message, unlike in
 * Go. Pairs above 64 KiB are not checked, since the check runs without yielding.
 * @param certificate PEM
 * @param key PEM
 */
export function keyPairFault(certificate: string, key: string): string | undefined {
  if (certificate.length > MOST || key.length > MOST) return undefined
  const inCertificate = decodePem(certificate)
  const first = inCertificate.find(({ type }) => type === 'CERTIFICATE')
  if (!first) return noCertificate(inCertificate.map(({ type }) => type))
  const inKey = decodePem(key)
  const keyBlock = inKey.find(isKey)
  if (!keyBlock) return noKey(inKey.map(({ type }) => type))
  const parsed = parseCertificate(first.bytes)
  if (!parsed) return 'x509: malformed certificate'
  const privateKey = readPrivateKey(keyBlock.bytes)
  if (!privateKey) return 'tls: failed to parse private key'
  if (parsed.checkPrivateKey(privateKey)) return undefined
  const isSameType = parsed.publicKey.asymmetricKeyType === privateKey.asymmetricKeyType
  return isSameType ? 'tls: private key does not match public key' : 'tls: private key type does not match public key type'
}

/** Describes input without a certificate; `types` are the types of the PEM blocks that were found. */
function noCertificate(types: readonly string[]): string {
  const [type] = types
  if (type === undefined) return 'tls: failed to find any PEM data in certificate input'
  if (types.length === 1 && type.endsWith('PRIVATE KEY')) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(' ')}]`
}

function noKey(types: readonly string[]): string {
  if (types.length === 0) return 'tls: failed to find any PEM data in key input'
  if (types.length === 1 && types[0] === 'CERTIFICATE') return 'tls: found a certificate rather than a key in the PEM for the private key'
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(' ')}]`
}

/** Parses a private key. The format is detected by trying each, whatever the type of the block. */
function readPrivateKey(der: Buffer): KeyObject | undefined {
  for (const type of ['pkcs1', 'pkcs8', 'sec1'] as const) {
    try {
      return createPrivateKey({ key: der, format: 'der', type })
    } catch {
      // Not of this format.
    }
  }
  return undefined
}
