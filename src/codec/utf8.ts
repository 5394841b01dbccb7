import { isUtf8 } from 'node:buffer'

const REPLACEMENT = Buffer.from('\ufffd')
/** An invalid byte of a text is this code plus the byte: a lone surrogate, which no valid text has. */
const INVALID_BYTE = 0xdc00

/** Decodes UTF-8 like Go: each byte that is not part of a valid sequence becomes one U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isUtf8(source)) return source.toString('utf8')
  const out = Buffer.allocUnsafe(REPLACEMENT.length * source.length)
  let end = 0
  for (let at = 0; at < source.length; ) {
    const length = sequenceAt(source, at)
    for (let i = 0; i < length; i++) out[end++] = source[at + i] ?? 0
    if (length === 0) for (const byte of REPLACEMENT) out[end++] = byte
    at += length || 1
  }
  return out.toString('utf8', 0, end)
}

/**
 * Decodes UTF-8, and keeps each byte that is not part of a valid sequence as a lone surrogate, U+DC80 to U+DCFF.
 * Writers write U+FFFD for it, `quote` writes `\x..`.
 */
export function decodeBytes(bytes: Uint8Array): string {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isUtf8(source)) return source.toString('utf8')
  const units = Buffer.allocUnsafe(2 * source.length)
  let end = 0
  for (let at = 0; at < source.length; ) {
    const length = sequenceAt(source, at)
    const code = length === 0 ? INVALID_BYTE + (source[at] ?? 0) : characterAt(source, at, length)
    if (code > 0xffff) end = units.writeUInt16LE(0xd7c0 + (code >> 10), end)
    end = units.writeUInt16LE(code > 0xffff ? 0xdc00 + (code & 0x3ff) : code, end)
    at += length || 1
  }
  return units.toString('utf16le', 0, end)
}

/** Decodes the valid sequence at the offset. */
function characterAt(bytes: Buffer, at: number, length: number): number {
  const lead = bytes[at] ?? 0
  let code = length === 1 ? lead : lead & (0x7f >> length)
  for (let i = 1; i < length; i++) code = (code << 6) | ((bytes[at + i] ?? 0) & 0x3f)
  return code
}

/** Length of the valid sequence at the offset; 0 if there is none. Source: RFC 3629, section 4. */
function sequenceAt(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0
  if (lead < 0x80) return 1
  if (lead < 0xc2 || lead > 0xf4) return 0
  const second = bytes[at + 1] ?? 0
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  if (second < least || second > most) return 0
  if (lead < 0xe0) return 2
  if (!continues(bytes[at + 2])) return 0
  if (lead < 0xf0) return 3
  return continues(bytes[at + 3]) ? 4 : 0
}

const continues = (byte = 0): boolean => byte >= 0x80 && byte <= 0xbf
