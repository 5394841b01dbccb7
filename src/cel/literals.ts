import { inInt64, integerOf, inUint64 } from '../lib/integer.ts'
/** Text and bytes of literals (cel-spec, "String and Bytes Values"), with cel-go's words for what is wrong with them. */

/** A literal that can't be read. The message is cel-go's. */
export class LiteralFault extends Error {
  override readonly name = 'LiteralFault'
}

/** What cel-go says of any wrong escape. */
const CANNOT = 'unable to unescape string'
const SIMPLE: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 }

/** Between the quotes of a literal, without its prefixes; line breaks become \n. */
function body(text: string): { content: string; raw: boolean } {
  const normal = text.replace(/\r\n?/g, '\n')
  const raw = /^[rR]/.test(normal)
  const quoted = raw ? normal.slice(1) : normal
  const quotes = quoted.length >= 6 && /^("""|''')/.test(quoted) ? 3 : 1
  return { content: quoted.slice(quotes, -quotes), raw }
}

/** Surrogates are no characters, written out or not. */
function codePoint(value: number): string {
  if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) throw new LiteralFault('invalid unicode code point')
  return String.fromCodePoint(value)
}

/** Escapes that the lexer lets pass: hexadecimal, octal, and one character. */
const ESCAPE = /\\(?:([xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]?))/g

/** The string that a literal stands for, given as written with its quotes. */
export function unescapeString(text: string): string {
  const { content, raw } = body(text)
  if (raw) return content
  return content.replace(ESCAPE, (_, hex: string | undefined, octal: string | undefined, simple: string | undefined) => {
    if (hex !== undefined) return codePoint(Number.parseInt(hex.slice(1), 16))
    if (octal !== undefined) return codePoint(Number.parseInt(octal, 8))
    return SIMPLE[simple ?? ''] ?? simple ?? ''
  })
}

/** The bytes that a literal stands for, given as written without its `b`: escapes are bytes, the rest is UTF-8. */
export function unescapeBytes(text: string): Uint8Array {
  const { content, raw } = body(text)
  if (raw) return Buffer.from(content)
  // No escape is shorter than what it stands for.
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

const read = (text: string): bigint => (text.startsWith('0x') ? BigInt(text) : integerOf(text))

/** @param text digits, or digits of base 16 behind `0x`. Nothing where 64 bits do not hold it. */
export function intLiteral(text: string, negative: boolean): bigint | undefined {
  const value = negative ? -read(text) : read(text)
  return inInt64(value) ? value : undefined
}

/** The same without a sign. */
export function uintLiteral(text: string): bigint | undefined {
  const value = read(text)
  return inUint64(value) ? value : undefined
}

/** Undefined for what no double holds: cel-go refuses infinity as a literal. */
export function parseDouble(text: string): number | undefined {
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
