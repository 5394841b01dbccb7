/** An ASN.1 value in DER (X.690). */
export interface DerValue {
  readonly tag: number
  /** Content, without tag and length. */
  readonly content: Buffer
  /** The encoded value with its tag and length. */
  readonly whole: Buffer
}

/** Tags of the ASN.1 types that certificate requests use (ITU-T X.690). */
export const SEQUENCE = 0x30
export const BIT_STRING = 0x03
export const OBJECT_IDENTIFIER = 0x06
const BMP_STRING = 0x1e
/**
 * String types whose contents are bytes: UTF8String, NumericString, PrintableString, T61String, IA5String,
 * VisibleString, GeneralString.
 */
const BYTE_STRINGS: readonly number[] = [0x0c, 0x12, 0x13, 0x14, 0x16, 0x1a, 0x1b]

/** Decodes adjacent values, at most `most`. Throws an Error if a length is invalid. */
export function readDer(bytes: Buffer, most = 16): DerValue[] {
  const values: DerValue[] = []
  for (let at = 0; at < bytes.length; ) {
    if (values.length === most) throw new Error('asn1: structure error: too many values')
    const { start, length } = readLength(bytes, at + 1)
    if (start + length > bytes.length) throw new Error('asn1: syntax error: data truncated')
    values.push({ tag: bytes.readUInt8(at), content: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) })
    at = start + length
  }
  return values
}

function readLength(bytes: Buffer, at: number): { start: number; length: number } {
  const first = bytes[at]
  if (first === undefined) throw new Error('asn1: syntax error: data truncated')
  if (first < 0x80) return { start: at + 1, length: first }
  const count = first & 0x7f
  if (count === 0 || count > 4 || at + 1 + count > bytes.length) throw new Error('asn1: structure error: length too large')
  return { start: at + 1 + count, length: bytes.readUIntBE(at + 1, count) }
}

/** Decodes the values in a sequence. */
export function sequenceOf(value: DerValue | undefined): DerValue[] {
  if (value?.tag !== SEQUENCE) throw new Error("asn1: structure error: tags don't match")
  return readDer(value.content)
}

/** Decodes an object identifier: `1.2.840.10045.4.3.2`. */
export function objectIdentifierOf(value: DerValue | undefined): string {
  if (value?.tag !== OBJECT_IDENTIFIER) throw new Error("asn1: structure error: tags don't match")
  const parts: number[] = []
  let part = 0
  for (const byte of value.content) {
    part = part * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    if (parts.length === 0) parts.push(Math.min(2, Math.floor(part / 40)), part - 40 * Math.min(2, Math.floor(part / 40)))
    else parts.push(part)
    part = 0
  }
  return parts.join('.')
}

/**
 * Decodes a value of a string type. Throws an Error for UniversalString and for strings that consist of parts: OpenSSL,
 * which reads the names of certificates, decodes them, and a name must not be read in two ways.
 */
export function derString(value: DerValue | undefined): string {
  if (!value) return ''
  if (value.tag === BMP_STRING)
    return Buffer.from(value.content)
      .subarray(0, value.content.length & ~1)
      .swap16()
      .toString('utf16le')
  if (!BYTE_STRINGS.includes(value.tag))
    throw new Error(`asn1: structure error: unsupported string type 0x${value.tag.toString(16).padStart(2, '0')}`)
  return value.content.toString('utf8')
}
