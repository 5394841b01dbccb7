/** A key of `extra` in the name of a header, where it is percent-encoded; one that cannot be decoded is taken as it is. */
export function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
