/** Keys of a few ASCII characters that have been met, by a hash of them: the same few stand in every object. */
const KNOWN = 4096
const known = new Array<string | undefined>(KNOWN)

/** As `asciiText`, for texts that come again and again. */
export function knownKey(bytes: Buffer, from: number, length: number): string | undefined {
  const end = from + length
  let hash = length
  for (let i = from; i < end; i++) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0
  const slot = hash & (KNOWN - 1)
  const candidate = known[slot]
  if (candidate !== undefined && candidate.length === length && isAt(bytes, from, candidate)) return candidate
  const text = asciiText(bytes, from, length)
  if (text !== undefined) known[slot] = text
  return text
}

function isAt(bytes: Buffer, from: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[from + i]) return false
  return true
}

/** The text of a few bytes; undefined where they are not of ASCII alone. A call for each costs less than the decoder of Buffer. */
export function asciiText(bytes: Buffer, from: number, length: number): string | undefined {
  const end = from + length
  let text = ''
  for (let i = from; i < end; i++) {
    const byte = bytes[i] as number
    if (byte >= 0x80) return undefined
    text += String.fromCharCode(byte)
  }
  return text
}
