import type { Steps } from '../lib/steps.ts'
import { octetFault } from './yaml-octets.ts'

/** A decoded text. If the bytes are invalid, it ends before the first character that is. */
export interface YamlSource {
  /** Decoded text, without its byte order mark. */
  readonly text: string
  /** Omitted if all bytes are valid. */
  readonly fault?: ReaderFault
}

/**
 * Error of go-yaml's reader for invalid bytes. It occurs when the scanner reads beyond `from`, an offset in the text:
 * the reader decodes ahead in chunks.
 */
export interface ReaderFault {
  readonly message: string
  /** Offset in the text, in UTF-16 code units. */
  readonly from: number
}

type Encoding = 'utf8' | 'utf16'

/** Byte order of UTF-16. */
export type ByteOrder = 'little-endian' | 'big-endian'

/** Returns the byte order of UTF-16 that begins with a byte order mark. Undefined for other bytes. */
export function byteOrderOf(bytes: Buffer): ByteOrder | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'little-endian'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'big-endian' : undefined
}

/** Encodes a text as UTF-16 with a byte order mark. */
export function encodeUtf16(text: string, order: ByteOrder): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return order === 'big-endian' ? bytes.swap16() : bytes
}

/** Decodes UTF-8, or UTF-16 that begins with a byte order mark, like go-yaml. The mark is not part of the text. */
export function* decodeYaml(given: Buffer): Steps<YamlSource> {
  const order = byteOrderOf(given)
  const encoding: Encoding = order === undefined ? 'utf8' : 'utf16'
  const bytes = order === 'big-endian' ? swapped(given) : given
  const decoded = encoding === 'utf8' ? utf8(bytes) : utf16(bytes)
  yield
  const control = decoded.text.search(REFUSED_CHARACTER)
  yield
  const message = control < 0 ? decoded.fault : CONTROL_CHARACTER
  const text = withoutMark(control < 0 ? decoded.text : decoded.text.slice(0, control))
  if (message === undefined) return { text }
  const before = control < 0 ? decoded.text : decoded.text.slice(0, control)
  return {
    text,
    fault: { message, from: chunkStart(bytes, encoding, encoding === 'utf8' ? Buffer.byteLength(before) : 2 * before.length) },
  }
}

/** Error for characters that YAML does not allow even in quotes (YAML 1.1, section 5.1). */
const CONTROL_CHARACTER = 'control characters are not allowed'

/** Characters that are not printable (YAML 1.1, section 5.1). */
const REFUSED_CHARACTER = /[^\t\n\r -~\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

const withoutMark = (text: string): string => text.replace(/^\ufeff/, '')

/** A decoded text, up to the first invalid bytes. */
interface Decoded {
  readonly text: string
  readonly fault?: string
}

/** Decodes UTF-8. */
function utf8(bytes: Buffer): Decoded {
  const fault = octetFault(bytes)
  return fault ? { text: bytes.toString('utf8', 0, fault.at), fault: fault.text } : { text: bytes.toString('utf8') }
}

/** Decodes little-endian UTF-16. Source: yaml_parser_update_buffer of go-yaml's readerc.go. */
function utf16(bytes: Buffer): Decoded {
  const text = bytes.toString('utf16le')
  const isOdd = bytes.length % 2 === 1
  if (text.isWellFormed()) return isOdd ? { text, fault: 'incomplete UTF-16 character' } : { text }
  const at = text.search(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/)
  return { text: text.slice(0, at), fault: surrogateFault(text, at) }
}

/** Returns the error for the unpaired surrogate at an offset. */
function surrogateFault(text: string, at: number): string {
  if (text.charCodeAt(at) >= 0xdc00) return 'unexpected low surrogate area'
  return at + 1 === text.length ? 'incomplete UTF-16 surrogate pair' : 'expected low surrogate area'
}

/** Converts big-endian UTF-16 to little-endian. An odd last byte is kept. */
function swapped(bytes: Buffer): Buffer {
  const even = Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16()
  return bytes.length % 2 === 0 ? even : Buffer.concat([even, bytes.subarray(-1)])
}

/** Bytes that go-yaml's reader decodes at once. */
const CHUNK = 512

/**
 * Returns the offset in the text of the chunk in which the reader decodes the invalid character at `fault`, an offset
 * in the bytes.
 */
function chunkStart(bytes: Buffer, encoding: Encoding, fault: number): number {
  const end = fault + (encoding === 'utf8' ? utf8Width(bytes[fault] ?? 0) : utf16Width(bytes[fault + 1] ?? 0))
  let start = end > bytes.length ? fault : 0
  while (start + CHUNK < end) start = Math.min(characterBefore(bytes, encoding, start + CHUNK), fault)
  return withoutMark(bytes.toString(encoding === 'utf8' ? 'utf8' : 'utf16le', 0, start)).length
}

const utf8Width = (lead: number): number => (lead < 0xc0 || lead >= 0xf8 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4)
const utf16Width = (high: number): number => ((high & 0xfc) === 0xd8 ? 4 : 2)

/** Returns the start of the character at an offset. */
function characterBefore(bytes: Buffer, encoding: Encoding, offset: number): number {
  let at = offset
  if (encoding === 'utf8') while (((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  else if (((bytes[at + 1] ?? 0) & 0xfc) === 0xdc) at -= 2
  return at
}
