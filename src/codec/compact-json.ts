import type { Steps } from '../lib/steps.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Bytes that are looked at in one step. */
const STEP = 64 * 1024
/** Bytes of the longest escape. */
const ESCAPE = 6

/** What Go escapes for HTML: `<`, `>` and `&`. */
const ESCAPES: ReadonlyMap<number, Buffer> = new Map([0x3c, 0x3e, 0x26].map(byte => [byte, Buffer.from(`\\u00${byte.toString(16)}`)]))
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** A valid text of JSON without the space between its tokens, in steps: on one line, whatever its author has done. */
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
