import { type DerValue, objectIdentifierOf, readDer, SEQUENCE, sequenceOf } from './der.ts'

/** Universal tags (ITU-T X.680). */
const BOOLEAN = 0x01
const INTEGER = 0x02
const OCTETS = 0x04
/** Tag of the version in a certificate. The first version has none. */
const VERSION = 0xa0
/** Tag of the extensions in a certificate. */
const EXTENSIONS = 0xa3
/** Limit on the extensions of a certificate. */
const MOST_EXTENSIONS = 64
/** Identifier of the extension basicConstraints (RFC 5280, section 4.2.1.9). */
export const BASIC_CONSTRAINTS = '2.5.29.19'

/** Signature algorithms with MD5 and SHA-1. */
const OLD_SIGNATURES: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10045.4.1',
  '1.2.840.10040.4.3',
])

/** An extension of a certificate (RFC 5280, section 4.2). */
export interface CertificateExtension {
  /** Object identifier, with dots. */
  readonly id: string
  /** Whether a verifier that does not know the extension must reject the certificate. */
  readonly isCritical: boolean
  /** Path length constraint. Omitted if the basic constraints have none. */
  readonly pathLength?: number
}

/** Returns the extensions of a certificate in DER. Throws an Error if it cannot be parsed. */
export function extensionsOf(der: Buffer): CertificateExtension[] {
  const field = sequenceOf(sequenceOf(readDer(der)[0])[0]).find(({ tag }) => tag === EXTENSIONS)
  if (field === undefined) return []
  const [list] = readDer(field.content)
  if (list?.tag !== SEQUENCE) throw new Error('x509: malformed extensions')
  return readDer(list.content, MOST_EXTENSIONS).map(extensionOf)
}

/** Parses an extension. Its value is examined only for basic constraints. */
function extensionOf(value: DerValue): CertificateExtension {
  const [identifier, ...rest] = sequenceOf(value)
  const id = objectIdentifierOf(identifier)
  const isCritical = rest[0]?.tag === BOOLEAN && rest[0].content[0] !== 0
  const content = rest.find(({ tag }) => tag === OCTETS)?.content
  const pathLength = id === BASIC_CONSTRAINTS && content ? pathLengthOf(content) : undefined
  return { id, isCritical, ...(pathLength !== undefined && { pathLength }) }
}

/**
 * Returns the path length constraint; undefined if there is none. A value of more than one byte is not a constraint in
 * practice.
 */
function pathLengthOf(constraints: Buffer): number | undefined {
  const length = sequenceOf(readDer(constraints)[0]).find(({ tag }) => tag === INTEGER)
  return length?.content.length === 1 ? length.content[0] : undefined
}

/** Whether a certificate in DER is signed with a digest that Go does not accept. */
export const isSignedWithOldDigest = (der: Buffer): boolean => {
  const [, algorithm] = sequenceOf(readDer(der)[0])
  return OLD_SIGNATURES.has(objectIdentifierOf(sequenceOf(algorithm)[0]))
}

/** Returns issuer and subject of a certificate, all in DER. Undefined if it cannot be parsed. */
export function certificateNames(der: Buffer): { readonly issuer: Buffer; readonly subject: Buffer } | undefined {
  try {
    const fields = sequenceOf(sequenceOf(readDer(der)[0])[0])
    const [, , issuer, , subject] = fields[0]?.tag === VERSION ? fields.slice(1) : fields
    return issuer && subject && { issuer: issuer.whole, subject: subject.whole }
  } catch {
    return undefined
  }
}
