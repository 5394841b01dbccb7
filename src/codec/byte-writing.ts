/** Shorter ones are copied in a loop: a call costs more. */
const COPY_FROM = 48

/** Copies bytes, and returns where they end. */
export function copyBytes(out: Buffer, at: number, source: Buffer, from: number, to: number): number {
  if (to - from >= COPY_FROM) source.copy(out, at, from, to)
  else for (let read = from, write = at; read < to; read++, write++) out[write] = source[read] as number
  return at + to - from
}

/** Writes a UTF-16 unit in UTF-8 and returns where it ends; -1 for half of a pair. */
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
