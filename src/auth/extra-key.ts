/**
 * Decodes an extra key from a header name, in which it is percent-encoded. Returns the key unchanged if it is
 * malformed.
 */
export function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
