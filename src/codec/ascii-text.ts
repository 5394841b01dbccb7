/** Number of entries, a power of two. */
const SLOTS = 4096
/**
 * Short ASCII strings by hash; a collision replaces the entry. The same few keys occur in every object, and creating a
 * string costs more than comparing its bytes. An entry depends on its bytes alone, so all requests can share it.
 */
const interned = new Array<string | undefined>(SLOTS)

/** Like `asciiText`, but returns the same string for the same bytes. For texts that recur, such as map keys. */
export function knownKey(bytes: Buffer, from: number, length: number): string | undefined {
  const end = from + length
  let hash = length
  for (let i = from; i < end; i++) hash = (Math.imul(hash, 31) + (bytes[i] ?? 0)) | 0
  const slot = hash & (SLOTS - 1)
  const candidate = interned[slot]
  if (candidate !== undefined && candidate.length === length && isAt(bytes, from, candidate)) return candidate
  const text = asciiText(bytes, from, length)
  if (text !== undefined) interned[slot] = text
  return text
}

function isAt(bytes: Buffer, from: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[from + i]) return false
  return true
}

/**
 * Decodes a few bytes; undefined if one of them is not ASCII. Faster than `Buffer.toString` below about 24 bytes. The
 * range must lie within the buffer.
 */
export function asciiText(bytes: Buffer, from: number, length: number): string | undefined {
  const end = from + length
  let text = ''
  for (let i = from; i < end; i++) {
    const byte = bytes[i] ?? 0
    if (byte >= 0x80) return undefined
    text += String.fromCharCode(byte)
  }
  return text
}
