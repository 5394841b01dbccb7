const SLOTS = 4096
/**
 * Texts of a few ASCII characters, each in the slot of its hash; a collision replaces. The same few keys stand in every object, and making a string costs more than comparing its bytes.
 * A slot holds what its bytes say and nothing of who sent them, so all readers share it.
 */
const interned = new Array<string | undefined>(SLOTS)

/** As `asciiText`, for texts that recur, such as the keys of maps: the same string is returned again. */
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

/** The text of a few bytes; undefined where they are not of ASCII alone. Below some 24 bytes this is faster than a call of `Buffer.toString`. The bytes must exist. */
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
