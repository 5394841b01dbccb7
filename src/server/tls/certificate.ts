import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import { type DerValue, readDer, sequenceOf } from '../../lib/der.ts'
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
} from '../../lib/der-writer.ts'
import { parseIp } from '../../meta/ip.ts'

/** X.509 certificates (RFC 5280) as this server issues them. */

const signBytes = promisify(sign)

/** A certificate authority. Its subject is copied byte by byte from its certificate, because some clients compare the bytes. */
export interface Issuer {
  readonly subject: Buffer
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** Contents of a certificate to be signed. */
export interface CertificateRequest {
  readonly issuer: Issuer
  readonly subject: Buffer
  readonly publicKey: KeyObject
  readonly notBefore: Date
  readonly notAfter: Date
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
  const signature = await signBytes('sha256', content, issuer.privateKey)
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
  return { subject: subject.whole, publicKey: createPublicKey({ key: publicKey.whole, type: 'spki', format: 'der' }), privateKey: createPrivateKey(key) }
}

const VERSION = 0xa0

function certificateFields(certificate: DerValue | undefined): { subject: DerValue | undefined; publicKey: DerValue | undefined } {
  const fields = sequenceOf(sequenceOf(certificate)[0])
  // The version is optional.
  const [, , , , subject, publicKey] = fields[0]?.tag === VERSION ? fields.slice(1) : fields
  return { subject, publicKey }
}

const NAME_PARTS = { O: '2.5.4.10', CN: '2.5.4.3' } as const

/** Returns a distinguished name of these parts, in order. */
export const distinguishedName = (...parts: readonly (readonly [keyof typeof NAME_PARTS, string])[]): Buffer =>
  derSequence(...parts.map(([part, text]) => derSet(derSequence(derIdentifier(NAME_PARTS[part]), derText(text)))))

const extension = (identifier: string, value: Buffer): Buffer => derSequence(derIdentifier(identifier), derOctets(value))
const criticalExtension = (identifier: string, value: Buffer): Buffer => derSequence(derIdentifier(identifier), derTrue(), derOctets(value))

/** Returns the critical extension basicConstraints. */
export const basicConstraints = (isAuthority: boolean): Buffer => criticalExtension('2.5.29.19', isAuthority ? derSequence(derTrue()) : derSequence())

const KEY_USAGES = { digitalSignature: 0x80, keyEncipherment: 0x20, keyCertSign: 0x04, cRLSign: 0x02 } as const

/** Returns the critical extension keyUsage. */
export function keyUsages(...usages: readonly (keyof typeof KEY_USAGES)[]): Buffer {
  const bits = usages.reduce((sum, usage) => sum | KEY_USAGES[usage], 0)
  return criticalExtension('2.5.29.15', derBits(Buffer.from([bits]), 31 - Math.clz32(bits & -bits)))
}

const PURPOSES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const

/** Returns the extension extKeyUsage for TLS servers or clients. */
export const extendedKeyUsage = (purpose: keyof typeof PURPOSES): Buffer => extension('2.5.29.37', derSequence(derIdentifier(PURPOSES[purpose])))

/** Returns the extension by which certificates that this key signs name their issuer (RFC 5280, section 4.2.1.2). */
export const subjectKeyIdentifier = (key: KeyObject): Buffer => extension('2.5.29.14', derOctets(keyIdentifier(key)))

/** Returns the extension that names the issuer's key: its identifier only, without issuer and serial number (RFC 5280, section 4.2.1.1). */
export const authorityKeyIdentifier = ({ publicKey }: Issuer): Buffer => extension('2.5.29.35', derSequence(derImplicit(0, keyIdentifier(publicKey))))

/** Returns the SHA-1 of the key's bits (RFC 5280, section 4.2.1.2). It is an identifier and need not be collision-resistant. */
function keyIdentifier(key: KeyObject): Buffer {
  const [, bits] = sequenceOf(readDer(key.export({ type: 'spki', format: 'der' }))[0])
  // The first byte is the number of unused bits.
  return createHash('sha1')
    .update(bits?.content.subarray(1) ?? '')
    .digest()
}

const DNS_NAME = 2
const IP_ADDRESS = 7

/** Returns the extension subjectAltName. Invalid IP addresses are left out. */
export function alternativeNames(dns: readonly string[], ips: readonly string[]): Buffer {
  const addresses = ips.flatMap(text => parseIp(text) ?? [])
  const names = dns.map(name => derImplicit(DNS_NAME, Buffer.from(name, 'latin1')))
  return extension('2.5.29.17', derSequence(...names, ...addresses.map(ip => derImplicit(IP_ADDRESS, Buffer.from(ip)))))
}
