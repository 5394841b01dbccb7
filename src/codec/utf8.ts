import { isUtf8 } from 'node:buffer'

/** UTF-8 as Go reads it: each byte that belongs to no valid sequence becomes one U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  let out = ''
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    const slice = Buffer.from(bytes.subarray(at, at + length))
    if (slice.length === length && isUtf8(slice)) {
      out += slice.toString('utf8')
      at += length
    } else {
      out += '\ufffd'
      at++
    }
  }
  return out
}
