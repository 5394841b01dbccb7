import { BIT_STRING, OBJECT_IDENTIFIER, SEQUENCE } from './der.ts'

/** Encodes the ASN.1 types that certificates use in DER (ITU-T X.690). */

const BOOLEAN = 0x01
/** Universal tags (ITU-T X.680). Those of sets and sequences include the bit CONSTRUCTED. */
const INTEGER = 0x02
const OCTET_STRING = 0x04
const NULL = 0x05
const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18
const SET = 0x31
/** Bits of a tag: context-specific, and constructed from other values. */
const CONTEXT = 0x80
const CONSTRUCTED = 0x20

/** Encodes a value of a tag with its length. `contents` are joined. */
export function derValue(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content])
}

/** Encodes a length: in one byte below 128, otherwise as the number of its bytes and these. */
function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return [0x80 | bytes.length, ...bytes]
}

export const derSequence = (...values: readonly Buffer[]): Buffer => derValue(SEQUENCE, ...values)
/** Encodes a set of one value. DER requires the values of a larger set to be sorted. */
export const derSet = (value: Buffer): Buffer => derValue(SET, value)
export const derNull = (): Buffer => derValue(NULL)
export const derTrue = (): Buffer => derValue(BOOLEAN, Buffer.from([0xff]))
export const derText = (text: string): Buffer => derValue(UTF8_STRING, Buffer.from(text))
export const derOctets = (bytes: Buffer): Buffer => derValue(OCTET_STRING, bytes)
/** `unused`: number of unused bits at the end of the last byte. */
export const derBits = (bytes: Buffer, unused = 0): Buffer => derValue(BIT_STRING, Buffer.from([unused]), bytes)
/** Encodes an explicitly tagged field, which contains its value with the value's own tag. */
export const derExplicit = (field: number, value: Buffer): Buffer => derValue(CONTEXT | CONSTRUCTED | field, value)
/** Encodes an implicitly tagged field, whose tag replaces that of its bytes. */
export const derImplicit = (field: number, bytes: Buffer): Buffer => derValue(CONTEXT | field, bytes)

/** Encodes a positive integer, given with the highest byte first. */
export function derInteger(bytes: Buffer): Buffer {
  const first = bytes.findIndex(byte => byte !== 0)
  const rest = first < 0 ? Buffer.from([0]) : bytes.subarray(first)
  return derValue(INTEGER, ...((rest[0] ?? 0) >= 0x80 ? [Buffer.from([0])] : []), rest)
}

/** Encodes an object identifier, given as `1.2.840.10045.4.3.2`. */
export function derIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  return derValue(OBJECT_IDENTIFIER, Buffer.from([40 * first + second, ...rest].flatMap(inSevens)))
}

/** Encodes a part of an identifier in base 128. Each byte but the last has its highest bit set. */
function inSevens(part: number): number[] {
  const bytes = [part % 128]
  for (let rest = Math.floor(part / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 | (rest % 128))
  return bytes
}

/** Encodes a time in whole seconds, in the form that RFC 5280 (section 4.1.2.5) requires for its year. */
export function derTime(date: Date): Buffer {
  const text = `${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`
  return date.getUTCFullYear() < 2050 ? derValue(UTC_TIME, Buffer.from(text.slice(2))) : derValue(GENERALIZED_TIME, Buffer.from(text))
}
