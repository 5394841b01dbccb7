/**
 * Longest part in characters for which the runtime's search is linear, because it uses tables. For longer parts its
 * worst case is the product of both lengths, as for `aa…b…aa` in `aaaa…`.
 */
const MOST_NATIVE = 250
/** Limit on the product of both lengths for the runtime's backward search, which uses no tables. */
const MOST_BACKWARDS = 100_000

/**
 * Returns the index of the first occurrence of a part at or after `from`; -1 if there is none. Takes time linear in
 * both lengths for any text.
 */
export function indexOfText(text: string, part: string, from = 0): number {
  return part.length <= MOST_NATIVE ? text.indexOf(part, from) : indexByPrefixes(text, part, prefixesOf(part), from)
}

/**
 * Returns the index of the last occurrence of a part at or before `from`; -1 if there is none. Takes time linear in
 * both lengths.
 */
export function lastIndexOfText(text: string, part: string, from = text.length): number {
  if (text.length * part.length <= MOST_BACKWARDS) return text.lastIndexOf(part, from)
  const last = text.length - part.length
  const index = indexOfText(reversed(text), reversed(part), last - Math.min(from, last))
  return index < 0 ? -1 : last - index
}

/** Splits a text at a non-empty part. Takes time linear in both lengths. */
export function splitText(text: string, part: string): string[] {
  if (part.length <= MOST_NATIVE) return text.split(part)
  const parts: string[] = []
  const prefixes = prefixesOf(part)
  for (let start = 0; ; ) {
    const end = indexByPrefixes(text, part, prefixes, start)
    if (end < 0) {
      parts.push(text.slice(start))
      return parts
    }
    parts.push(text.slice(start, end))
    start = end + part.length
  }
}

/** Length of the longest proper prefix that is also a suffix, for each prefix (Knuth, Morris and Pratt). */
function prefixesOf(part: string): Int32Array {
  const prefixes = new Int32Array(part.length + 1)
  let length = 0
  for (let i = 1; i < part.length; i++) {
    const unit = part.charCodeAt(i)
    while (length > 0 && part.charCodeAt(length) !== unit) length = prefixes[length] as number
    if (part.charCodeAt(length) === unit) length++
    prefixes[i + 1] = length
  }
  return prefixes
}

function indexByPrefixes(text: string, part: string, prefixes: Int32Array, from: number): number {
  let length = 0
  for (let i = Math.max(from, 0); i < text.length; i++) {
    const unit = text.charCodeAt(i)
    while (length > 0 && part.charCodeAt(length) !== unit) length = prefixes[length] as number
    if (part.charCodeAt(length) === unit) length++
    if (length === part.length) return i + 1 - length
  }
  return -1
}

/** Reverses UTF-16 units. */
function reversed(text: string): string {
  const bytes = Buffer.from(text, 'utf16le')
  new Uint16Array(bytes.buffer, bytes.byteOffset, text.length).reverse()
  return bytes.toString('utf16le')
}
