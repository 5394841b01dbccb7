import type { Steps } from '../lib/steps.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Bytes examined per step. */
const STEP = 64 * 1024
/** Length of the longest escape in bytes. */
const ESCAPE = 6

/** Escapes of the characters that Go escapes for HTML: `<`, `>` and `&`. */
const ESCAPES: ReadonlyMap<number, Buffer> = new Map([0x3c, 0x3e, 0x26].map(byte => [byte, Buffer.from(`\\u00${byte.toString(16)}`)]))
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * Removes the white space between the tokens of valid JSON and escapes it for HTML, in steps. The result is a single
 * line.
 */
export function* compactJson(json: Buffer): Steps<Buffer[]> {
  const parts: Buffer[] = []
  let inString = false
  let escaped = false
  for (let from = 0; from < json.length; from += STEP) {
    const part = json.subarray(from, from + STEP)
    const out = Buffer.allocUnsafe(part.length * ESCAPE)
    let at = 0
    for (const byte of part) {
      if (!inString && SPACES.has(byte)) continue
      if (byte === QUOTE && !escaped) inString = !inString
      escaped = inString && byte === BACKSLASH && !escaped
      const replacement = ESCAPES.get(byte)
      if (replacement === undefined) out[at++] = byte
      else at += replacement.copy(out, at)
    }
    parts.push(Buffer.from(out.subarray(0, at)))
    yield
  }
  return parts
}
