/**
 * Matches base64 whose length is a multiple of four, so that the padding is correct. Matching groups of four would take
 * ten times as long on long texts.
 */
const CANONICAL = /^[A-Za-z0-9+/]*={0,2}$/
/** Last digits before `==` and `=` whose bits beyond the last byte are zero. */
const SPARE_BITS4 = 'AQgw'
const SPARE_BITS2 = 'AEIMQUYcgkosw048'

/** Whether a text is standard base64 with padding. Unless `lax`, the bits beyond the last byte must be zero. */
export function isCanonicalBase64(text: string, lax = false): boolean {
  if (text.length % 4 !== 0 || !CANONICAL.test(text)) return false
  if (lax || !text.endsWith('=')) return true
  return text.endsWith('==') ? SPARE_BITS4.includes(text.charAt(text.length - 3)) : SPARE_BITS2.includes(text.charAt(text.length - 2))
}

/** Returns the offset at which Go's decoder fails (`illegal base64 data at input byte N`), or -1. */
export function base64Fault(text: string): number {
  const data = Buffer.from(text)
  let at = 0
  const next = (): number => {
    while (at < data.length && (data[at] === 10 || data[at] === 13)) at++
    const byte = data[at]
    if (byte === undefined) return -1
    at++
    return byte
  }
  for (;;) {
    for (let digit = 0; digit < 4; digit++) {
      const c = next()
      if (c < 0) return digit === 0 ? -1 : at - digit
      if (isDigit(c)) continue
      if (c !== 61) return at - 1
      if (digit < 2) return at - 1
      if (digit === 2) {
        const second = next()
        if (second < 0) return data.length
        if (second !== 61) return at - 2
      }
      const rest = next()
      return rest < 0 ? -1 : at - 1
    }
  }
}

const isDigit = (c: number): boolean => (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || (c >= 48 && c <= 57) || c === 43 || c === 47
