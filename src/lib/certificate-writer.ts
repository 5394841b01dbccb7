import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import { type DerValue, readDer, sequenceOf } from './der.ts'
import {
  derBits,
  derExplicit,
  derIdentifier,
  derImplicit,
  derInteger,
  derNull,
  derOctets,
  derSequence,
  derSet,
  derText,
  derTime,
  derTrue,
} from './der-writer.ts'
import { computeElsewhere } from './other-threads.ts'

/** X.509 certificates (RFC 5280) as this server issues them. */

const signBytes = promisify(sign)

/**
 * A certificate authority. Its subject is copied byte by byte from its certificate, because some clients compare the
 * bytes.
 */
export interface Issuer {
  /** Distinguished name in DER. */
  readonly subject: Buffer
  /** Its identifier is in the certificates that it signs. */
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** Contents of a certificate to be signed. */
export interface CertificateRequest {
  /** Certificate authority that signs. May be that of the same key, for a root certificate. */
  readonly issuer: Issuer
  /** Distinguished name in DER. */
  readonly subject: Buffer
  readonly publicKey: KeyObject
  /** Beginning of the validity, in whole seconds. */
  readonly notBefore: Date
  /** End of the validity, inclusive, in whole seconds. */
  readonly notAfter: Date
  /** Extensions in DER, in order. */
  readonly extensions: readonly Buffer[]
  /** 16 bytes. Defaults to random ones. */
  readonly serial?: Buffer | undefined
}

/** Signs a certificate. Returns PEM. */
export async function signCertificate({
  issuer,
  subject,
  publicKey,
  notBefore,
  notAfter,
  extensions,
  serial = randomBytes(16),
}: CertificateRequest): Promise<string> {
  const algorithm = signatureOf(issuer.privateKey)
  const content = derSequence(
    derExplicit(0, derInteger(Buffer.from([2]))),
    derInteger(positive(serial)),
    algorithm,
    issuer.subject,
    derSequence(derTime(notBefore), derTime(notAfter)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    derExplicit(3, derSequence(...extensions)),
  )
  const signature = await computeElsewhere(() => signBytes('sha256', content, issuer.privateKey))
  const text = derSequence(content, algorithm, derBits(signature)).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${text.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`
}

/** Returns the signature algorithm for a key. Throws an Error unless it is an EC or RSA key. */
function signatureOf({ asymmetricKeyType }: KeyObject): Buffer {
  if (asymmetricKeyType === 'ec') return derSequence(derIdentifier('1.2.840.10045.4.3.2'))
  if (asymmetricKeyType === 'rsa') return derSequence(derIdentifier('1.2.840.113549.1.1.11'), derNull())
  throw new Error(`the key of the certificate authority is of type ${asymmetricKeyType}: use an EC or RSA key`)
}

/** Makes a serial number positive, with a constant length. */
function positive(serial: Buffer): Buffer {
  const bytes = Buffer.from(serial)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes
}

/** Returns the authority of a certificate and its key, both PEM. */
export function issuerOf(cert: string, key: string): Issuer {
  const { raw } = new X509Certificate(cert)
  const { subject, publicKey } = certificateFields(readDer(raw)[0])
  if (!subject || !publicKey) throw new Error('the certificate of the certificate authority is incomplete')
  return {
    subject: subject.whole,
    publicKey: createPublicKey({ key: publicKey.whole, type: 'spki', format: 'der' }),
    privateKey: createPrivateKey(key),
  }
}

/** Tag of the version in a certificate. */
const VERSION = 0xa0

/** Finds subject and public key in a certificate. */
function certificateFields(certificate: DerValue | undefined): { subject: DerValue | undefined; publicKey: DerValue | undefined } {
  const fields = sequenceOf(sequenceOf(certificate)[0])
  // The version is optional.
  const [, , , , subject, publicKey] = fields[0]?.tag === VERSION ? fields.slice(1) : fields
  return { subject, publicKey }
}

/** Object identifiers of attributes (X.520). */
const NAME_PARTS = { O: '2.5.4.10', CN: '2.5.4.3' } as const

/** Returns a distinguished name of these parts, in order. */
export const distinguishedName = (...parts: readonly (readonly [keyof typeof NAME_PARTS, string])[]): Buffer =>
  derSequence(...parts.map(([part, text]) => derSet(derSequence(derIdentifier(NAME_PARTS[part]), derText(text)))))

const extension = (identifier: string, value: Buffer): Buffer => derSequence(derIdentifier(identifier), derOctets(value))
const criticalExtension = (identifier: string, value: Buffer): Buffer => derSequence(derIdentifier(identifier), derTrue(), derOctets(value))

/** Returns the critical extension basicConstraints. */
export const basicConstraints = (isAuthority: boolean): Buffer =>
  criticalExtension('2.5.29.19', isAuthority ? derSequence(derTrue()) : derSequence())

/** Bits of the extension keyUsage (RFC 5280, section 4.2.1.3), the first one highest. */
const KEY_USAGES = {
  digitalSignature: 0x8000,
  contentCommitment: 0x4000,
  keyEncipherment: 0x2000,
  dataEncipherment: 0x1000,
  keyAgreement: 0x0800,
  keyCertSign: 0x0400,
  cRLSign: 0x0200,
  encipherOnly: 0x0100,
  decipherOnly: 0x0080,
} as const

/** Operation that the certificate allows for its key. */
export type KeyUsage = keyof typeof KEY_USAGES

/** Returns the critical extension keyUsage. @param usages at least one. */
export function keyUsages(...usages: readonly KeyUsage[]): Buffer {
  const bits = usages.reduce((sum, usage) => sum | KEY_USAGES[usage], 0)
  const bytes = Buffer.from((bits & 0xff) === 0 ? [bits >> 8] : [bits >> 8, bits & 0xff])
  const last = bytes.at(-1) ?? 0
  return criticalExtension('2.5.29.15', derBits(bytes, 31 - Math.clz32(last & -last)))
}

/** Object identifiers of purposes (RFC 5280, section 4.2.1.12), in the order in which Go writes them. */
const PURPOSES = {
  any: '2.5.29.37.0',
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  ipsecEndSystem: '1.3.6.1.5.5.7.3.5',
  ipsecTunnel: '1.3.6.1.5.5.7.3.6',
  ipsecUser: '1.3.6.1.5.5.7.3.7',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
  microsoftSgc: '1.3.6.1.4.1.311.10.3.3',
  netscapeSgc: '2.16.840.1.113730.4.1',
} as const

/** Purpose for which the certificate may be used. */
export type Purpose = keyof typeof PURPOSES

/** Returns the extension extKeyUsage for these purposes. @param purposes at least one. */
export const extendedKeyUsage = (...purposes: readonly Purpose[]): Buffer =>
  extension(
    '2.5.29.37',
    derSequence(
      ...Object.entries(PURPOSES).flatMap(([name, id]) => (purposes.some(purpose => purpose === name) ? [derIdentifier(id)] : [])),
    ),
  )

/** Returns the extension by which certificates that this key signs name their issuer (RFC 5280, section 4.2.1.2). */
export const subjectKeyIdentifier = (key: KeyObject): Buffer => extension('2.5.29.14', derOctets(keyIdentifier(key)))

/**
 * Returns the extension that names the issuer's key: its identifier only, without issuer and serial number (RFC 5280,
 * section 4.2.1.1).
 */
export const authorityKeyIdentifier = ({ publicKey }: Issuer): Buffer =>
  extension('2.5.29.35', derSequence(derImplicit(0, keyIdentifier(publicKey))))

/**
 * Returns the SHA-1 of the key's bits (RFC 5280, section 4.2.1.2). It is an identifier and need not be
 * collision-resistant.
 */
function keyIdentifier(key: KeyObject): Buffer {
  const [, bits] = sequenceOf(readDer(key.export({ type: 'spki', format: 'der' }))[0])
  // The first byte is the number of unused bits.
  return createHash('sha1')
    .update(bits?.content.subarray(1) ?? '')
    .digest()
}

/** Names of the subject of a certificate besides its distinguished name. */
export interface AlternativeNames {
  /** DNS names. They may begin with `*.`. */
  readonly dns: readonly string[]
  /** IP addresses of 4 or 16 bytes. */
  readonly ips: readonly Uint8Array[]
  readonly emails?: readonly string[]
  readonly uris?: readonly string[]
}

/** Tags of the forms of a name (RFC 5280, section 4.2.1.6). */
const [EMAIL_ADDRESS, DNS_NAME, URI, IP_ADDRESS] = [1, 2, 6, 7]

/** Returns the extension subjectAltName. */
export function alternativeNames({ dns, ips, emails = [], uris = [] }: AlternativeNames): Buffer {
  const texts = (tag: number, names: readonly string[]): Buffer[] => names.map(name => derImplicit(tag, Buffer.from(name, 'latin1')))
  const addresses = ips.map(ip => derImplicit(IP_ADDRESS, Buffer.from(ip)))
  return extension('2.5.29.17', derSequence(...texts(DNS_NAME, dns), ...texts(EMAIL_ADDRESS, emails), ...addresses, ...texts(URI, uris)))
}
