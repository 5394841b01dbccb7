/** The runtime's own search is linear for parts up to here, with tables for so many characters; for longer ones it takes the product of both lengths at worst, as for `aa…b…aa` among `aaaa…`. */
const MOST_NATIVE = 250
/** Characters of both, multiplied, up to which the runtime searches backwards: it does that without tables. */
const MOST_BACKWARDS = 100_000

/** Index of the first occurrence of a part at or after `from`; -1 if there is none. In time linear in both lengths, whatever they are. */
export function indexOfText(text: string, part: string, from = 0): number {
  return part.length <= MOST_NATIVE ? text.indexOf(part, from) : indexByPrefixes(text, part, prefixesOf(part), from)
}

/** Index of the last occurrence of a part at or before `from`; -1 if there is none. In time linear in both lengths. */
export function lastIndexOfText(text: string, part: string, from = text.length): number {
  if (text.length * part.length <= MOST_BACKWARDS) return text.lastIndexOf(part, from)
  const last = text.length - part.length
  const index = indexOfText(reversed(text), reversed(part), last - Math.min(from, last))
  return index < 0 ? -1 : last - index
}

/** The text between occurrences of a part that is not empty. In time linear in both lengths. */
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

/** For each length of a beginning, the length of its longest proper beginning that it also ends with (Knuth, Morris and Pratt). */
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

/** By units, which UTF-16 keeps apart as they are. */
function reversed(text: string): string {
  const bytes = Buffer.from(text, 'utf16le')
  new Uint16Array(bytes.buffer, bytes.byteOffset, text.length).reverse()
  return bytes.toString('utf16le')
}
