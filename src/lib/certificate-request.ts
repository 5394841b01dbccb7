import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { decodePem } from './decode-pem.ts'
import { BIT_STRING, type DerValue, derString, objectIdentifierOf, readDer, sequenceOf } from './der.ts'
import { errorMessage } from './error-message.ts'

interface Algorithm {
  /** Digests to try. Undefined if the algorithm has a digest of its own. */
  readonly digests: readonly (string | undefined)[]
  /** Whether RSA signatures have PSS padding. Otherwise it is that of PKCS #1 1.5. */
  readonly pss?: boolean
  /** Go's message for a signature that does not match. */
  readonly failure: string
}

const rsa = (digest: string): Algorithm => ({ digests: [digest], failure: 'crypto/rsa: verification error' })
const ecdsa = (digest: string): Algorithm => ({ digests: [digest], failure: 'x509: ECDSA verification failure' })

/** Signature algorithms by object identifier (RFC 3279, 4055, 5758, 8410). */
const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  '1.2.840.113549.1.1.5': rsa('sha1'),
  '1.2.840.113549.1.1.11': rsa('sha256'),
  '1.2.840.113549.1.1.12': rsa('sha384'),
  '1.2.840.113549.1.1.13': rsa('sha512'),
  '1.2.840.113549.1.1.10': { digests: ['sha256', 'sha384', 'sha512'], pss: true, failure: 'crypto/rsa: verification error' },
  '1.2.840.10045.4.1': ecdsa('sha1'),
  '1.2.840.10045.4.3.2': ecdsa('sha256'),
  '1.2.840.10045.4.3.3': ecdsa('sha384'),
  '1.2.840.10045.4.3.4': ecdsa('sha512'),
  '1.3.101.112': { digests: [undefined], failure: 'x509: Ed25519 verification failure' },
}

/** Tag of the attributes of a request. */
const ATTRIBUTES = 0xa0

/**
 * Elements in DER: `signed`, `subject` and `publicKey` include their headers, `attributes` and `signature` are contents
 * only.
 */
interface Parsed {
  readonly subject: Buffer
  /** Contents of the attributes. Empty if there are none. */
  readonly attributes: Buffer
  readonly signed: Buffer
  readonly publicKey: Buffer
  /** Object identifier of the signature algorithm. */
  readonly algorithm: string
  readonly signature: Buffer
}

/** Parses a CertificationRequest (RFC 2986, section 4.2). */
function parseRequest(der: Buffer): Parsed {
  if (der.length === 0) throw new Error('asn1: syntax error: sequence truncated')
  const [request, ...more] = readDer(der)
  if (more.length > 0) throw new Error('asn1: syntax error: trailing data')
  const [info, algorithm, signature] = sequenceOf(request)
  const [, subject, publicKey, attributes] = sequenceOf(info)
  if (!info || !subject || !publicKey || signature?.tag !== BIT_STRING) throw new Error("asn1: structure error: tags don't match")
  if (signature.content[0] !== 0) throw new Error('asn1: syntax error: invalid padding bits in BIT STRING')
  return {
    subject: subject.whole,
    attributes: attributes?.tag === ATTRIBUTES ? attributes.content : Buffer.alloc(0),
    signed: info.whole,
    publicKey: publicKey.whole,
    algorithm: objectIdentifierOf(sequenceOf(algorithm)[0]),
    signature: signature.content.subarray(1),
  }
}

/** Parses a SubjectPublicKeyInfo. Throws an Error with Go's message. */
function parsePublicKey(der: Buffer): KeyObject {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' })
  } catch {
    throw new Error('x509: failed to parse public key')
  }
}

/** Verifies the signature. PSS parameters, which contain the digest, are not parsed, so each digest is tried. */
function isSignedBy(key: KeyObject, { signed, signature }: Parsed, { digests, pss }: Algorithm): boolean {
  const options = pss ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO } : key
  return digests.some(digest => verify(digest, signed, options, signature))
}

/**
 * Returns the fault of a certificate request in PEM, or undefined. Its signature is verified with its own public key.
 * Messages are Go's where Go has one.
 */
export function certificateRequestFault(pem: string): string | undefined {
  const [block] = decodePem(pem)
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST'
  try {
    const parsed = parseRequest(block.bytes)
    const key = parsePublicKey(parsed.publicKey)
    const algorithm = ALGORITHMS[parsed.algorithm]
    if (!algorithm) return 'x509: cannot verify signature: algorithm unimplemented'
    return isSignedBy(key, parsed, algorithm) ? undefined : algorithm.failure
  } catch (error) {
    return errorMessage(error)
  }
}

/**
 * Returns the public key of a certificate request in DER, and whether the request is signed by it. Throws an Error if
 * it cannot be parsed.
 */
export function readCertificateRequest(der: Buffer): { readonly key: KeyObject; readonly isSigned: boolean } {
  const parsed = parseRequest(der)
  const key = parsePublicKey(parsed.publicKey)
  const algorithm = ALGORITHMS[parsed.algorithm]
  return { key, isSigned: algorithm !== undefined && isSignedBy(key, parsed, algorithm) }
}

/** Object identifiers of attributes (X.520). */
const ORGANIZATION = '2.5.4.10'
const COMMON_NAME = '2.5.4.3'
/** Limit on the elements of a name that are parsed. */
const MOST_PARTS = 1000

/** Returns the values of an attribute in a distinguished name, given in DER. */
const nameValues = (der: Buffer, attribute: string): string[] =>
  readDer(readDer(der)[0]?.content ?? der, MOST_PARTS)
    .flatMap(({ content }) => readDer(content, MOST_PARTS))
    .map(sequenceOf)
    .filter(([type]) => objectIdentifierOf(type) === attribute)
    .map(([, value]) => derString(value))

const subjectValues = (der: Buffer, attribute: string): string[] => nameValues(parseRequest(der).subject, attribute)

/**
 * Returns the organizations in the subject of a certificate request in PEM, which are the groups of the certificate's
 * user. Throws an Error if it cannot be parsed, so that it is not mistaken for a request without organizations.
 */
export const organizationsOf = (pem: string): string[] => subjectValues(decodeRequestPem(pem), ORGANIZATION)

/**
 * Returns the common name in the subject of a certificate request in PEM, which is the name of the certificate's user.
 * If there are several, the last one counts, as in Go. Throws an Error if it cannot be parsed.
 */
export const commonNameOf = (pem: string): string => subjectValues(decodeRequestPem(pem), COMMON_NAME).at(-1) ?? ''

/** Decodes the first PEM block, which must be a certificate request. */
function decodeRequestPem(pem: string): Buffer {
  const [block] = decodePem(pem)
  if (block?.type !== 'CERTIFICATE REQUEST') throw new Error('PEM block type must be CERTIFICATE REQUEST')
  return block.bytes
}

/** A certificate request, as a signer reads it. */
export interface CertificateRequestContents {
  /** Distinguished name in DER. */
  readonly subject: Buffer
  /** Organizations of the subject, which become groups of the user. */
  readonly organizations: readonly string[]
  /** Last common name of the subject. */
  readonly commonName: string
  readonly key: KeyObject
  /** Whether the request is signed with its key. */
  readonly isSigned: boolean
  /** DNS names among the requested alternative names. */
  readonly dns: readonly string[]
  readonly emails: readonly string[]
  readonly uris: readonly string[]
  /** IP addresses among the requested alternative names, of 4 or 16 bytes. */
  readonly ips: readonly Buffer[]
}

/** Attribute with the requested extensions (RFC 2985, section 5.4.2). */
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
/** Extension subjectAltName (RFC 5280, section 4.2.1.6). */
const ALTERNATIVE_NAMES = '2.5.29.17'
/** Tags of the forms of an alternative name (RFC 5280, section 4.2.1.6). */
const [EMAIL, DNS, URI, IP] = [0x81, 0x82, 0x86, 0x87]

/** Parses a certificate request in PEM. Throws an Error if it cannot be parsed. */
export function parseCertificateRequest(pem: string): CertificateRequestContents {
  const der = decodeRequestPem(pem)
  const { subject, attributes } = parseRequest(der)
  const names = alternativeNamesIn(attributes)
  const texts = (tag: number): string[] => names.filter(name => name.tag === tag).map(({ content }) => content.toString('latin1'))
  return {
    subject,
    organizations: nameValues(subject, ORGANIZATION),
    commonName: nameValues(subject, COMMON_NAME).at(-1) ?? '',
    ...readCertificateRequest(der),
    dns: texts(DNS),
    emails: texts(EMAIL),
    uris: texts(URI),
    ips: names.filter(name => name.tag === IP).map(({ content }) => content),
  }
}

/** Returns the alternative names among the requested extensions (RFC 2985, section 5.4.2). */
function alternativeNamesIn(attributes: Buffer): DerValue[] {
  const requested = readDer(attributes, MOST_PARTS)
    .map(sequenceOf)
    .find(([type]) => objectIdentifierOf(type) === EXTENSION_REQUEST)
  const [extensions] = requested?.[1] ? readDer(requested[1].content) : []
  if (!extensions) return []
  const found = readDer(extensions.content, MOST_PARTS)
    .map(sequenceOf)
    .find(([type]) => objectIdentifierOf(type) === ALTERNATIVE_NAMES)
  // The value comes last, after the mark of a critical extension.
  const value = found?.at(-1)
  return value ? readDer(readDer(value.content)[0]?.content ?? value.content, MOST_PARTS) : []
}
