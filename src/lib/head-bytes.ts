/** What a text of a request's head costs beside its characters. */
const TEXT_BYTES = 16

/** Bytes that the head of a request is counted for while it is kept: its names and values. A text that several share counts for each. */
export function headBytesOf(rawHeaders: readonly string[]): number {
  let bytes = 0
  for (const text of rawHeaders) bytes += text.length + TEXT_BYTES
  return bytes
}
