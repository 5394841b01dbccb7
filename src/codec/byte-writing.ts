/** Runs shorter than this are copied in a loop: the call into native code costs more than 48 bytes of it. */
const COPY_FROM = 48

/** Copies `source` from `from` to before `to` into `out`, and returns the offset behind the last byte written. Like all writes here it does not check the room: what lies beyond the end is dropped. */
export function copyBytes(out: Buffer, at: number, source: Buffer, from: number, to: number): number {
  if (to - from >= COPY_FROM) source.copy(out, at, from, to)
  else for (let read = from, write = at; read < to; read++, write++) out[write] = source[read] ?? 0
  return at + to - from
}

/** Writes a UTF-16 code unit as UTF-8 (one to three bytes) and returns the offset behind it; -1 for a surrogate, and for NaN. */
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
