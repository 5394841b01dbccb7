/** Memory of a header text besides its characters, in bytes. */
const TEXT_BYTES = 16

/** Estimates the memory of a request's header names and values in bytes. A shared text counts for each use. */
export function headBytesOf(rawHeaders: readonly string[]): number {
  let bytes = 0
  for (const text of rawHeaders) bytes += text.length + TEXT_BYTES
  return bytes
}
