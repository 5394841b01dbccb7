/** Shorter runs are copied in a loop: calling native code costs more than copying 48 bytes. */
const COPY_FROM = 48

/**
 * Copies the bytes of `source` in [`from`, `to`) into `out` and returns the offset after the last byte written. Like
 * all writes here it does not check the capacity: bytes beyond the end are dropped.
 */
export function copyBytes(out: Buffer, at: number, source: Buffer, from: number, to: number): number {
  if (to - from >= COPY_FROM) source.copy(out, at, from, to)
  else for (let read = from, write = at; read < to; read++, write++) out[write] = source[read] ?? 0
  return at + to - from
}

/**
 * Writes a UTF-16 code unit as one to three bytes of UTF-8 and returns the offset after it; -1 for a surrogate and for
 * NaN.
 */
export function writeCodeUnit(out: Buffer, at: number, unit: number): number {
  if (!(unit < 0xd800 || unit > 0xdfff)) return -1
  let end = at
  if (unit < 0x80) out[end++] = unit
  else {
    if (unit < 0x800) out[end++] = 0xc0 | (unit >> 6)
    else {
      out[end++] = 0xe0 | (unit >> 12)
      out[end++] = 0x80 | ((unit >> 6) & 0x3f)
    }
    out[end++] = 0x80 | (unit & 0x3f)
  }
  return end
}
