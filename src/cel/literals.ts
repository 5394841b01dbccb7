import { inInt64, inUint64, parseInteger } from '../lib/integer.ts'
/** Values of string and bytes literals (cel-spec, "String and Bytes Values"), with cel-go's error messages. */

/** An invalid literal. The message is cel-go's. */
export class LiteralFault extends Error {
  override readonly name = 'LiteralFault'
}

/** cel-go's message for every invalid escape. */
const CANNOT = 'unable to unescape string'
const SIMPLE: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 }

/** Returns the text between the quotes, without prefixes. Line breaks are normalized to `\n`. */
function body(text: string): { content: string; raw: boolean } {
  const normal = text.replace(/\r\n?/g, '\n')
  const raw = /^[rR]/.test(normal)
  const quoted = raw ? normal.slice(1) : normal
  const quotes = quoted.length >= 6 && /^("""|''')/.test(quoted) ? 3 : 1
  return { content: quoted.slice(quotes, -quotes), raw }
}

/** Converts a code point. Surrogates are rejected. */
function codePoint(value: number): string {
  if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) throw new LiteralFault('invalid unicode code point')
  return String.fromCodePoint(value)
}

/** Escapes that the lexer accepts: hexadecimal, octal, and single characters. */
const ESCAPE = /\\(?:([xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]?))/g

/** Returns the string value of a literal that is given as written, with its quotes. */
export function unescapeString(text: string): string {
  const { content, raw } = body(text)
  if (raw) return content
  return content.replace(ESCAPE, (_, hex: string | undefined, octal: string | undefined, simple: string | undefined) => {
    if (hex !== undefined) return codePoint(Number.parseInt(hex.slice(1), 16))
    if (octal !== undefined) return codePoint(Number.parseInt(octal, 8))
    return SIMPLE[simple ?? ''] ?? simple ?? ''
  })
}

/**
 * Returns the bytes value of a literal that is given as written, without its `b`. Numeric escapes are bytes, other
 * characters UTF-8.
 */
export function unescapeBytes(text: string): Uint8Array {
  const { content, raw } = body(text)
  if (raw) return Buffer.from(content)
  // An escape is never shorter than its value.
  const bytes = Buffer.alloc(Buffer.byteLength(content))
  let length = 0
  let from = 0
  for (const match of content.matchAll(ESCAPE)) {
    const [all, hex, octal, simple] = match
    if (match.index > from) length += bytes.write(content.slice(from, match.index), length)
    from = match.index + all.length
    if (hex !== undefined) {
      if (HEX_DIGITS[hex.charAt(0)] !== 2) throw new LiteralFault(CANNOT)
      bytes[length++] = Number.parseInt(hex.slice(1), 16)
    } else if (octal !== undefined) bytes[length++] = Number.parseInt(octal, 8)
    else length += bytes.write(SIMPLE[simple ?? ''] ?? simple ?? '', length)
  }
  length += bytes.write(content.slice(from), length)
  return Uint8Array.from(bytes.subarray(0, length))
}

const parseBigint = (text: string): bigint => (text.startsWith('0x') ? BigInt(text) : parseInteger(text))

/**
 * Parses an int. Returns undefined if it exceeds 64 bits.
 * @param text decimal digits, or hexadecimal digits after `0x`.
 */
export function intLiteral(text: string, negative: boolean): bigint | undefined {
  const value = negative ? -parseBigint(text) : parseBigint(text)
  return inInt64(value) ? value : undefined
}

/** Parses a uint, in the notation of `intLiteral`. Returns undefined if it exceeds 64 bits. */
export function uintLiteral(text: string): bigint | undefined {
  const value = parseBigint(text)
  return inUint64(value) ? value : undefined
}

/** Parses a double. Returns undefined if it is too large: cel-go rejects infinite literals. */
export function parseDouble(text: string): number | undefined {
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
