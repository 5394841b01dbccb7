import type { Revision } from './revision.ts'
import type { Allocate } from './storage.ts'

/**
 * Finds and puts in metadata.resourceVersion in compact JSON (no space between tokens, no repeated names), without parsing it.
 * Offsets are of bytes; what is scanned must be well formed, as this program wrote it.
 */
const quote = 0x22
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const backslash = 0x5c

/** The order of members: as Go writes a struct, or as it writes a map (sorted). */
export type MemberOrder = 'struct' | 'sorted'

/** From the opening quote to after the closing one. */
function skipString(json: Buffer, at: number): number {
  const { length } = json
  let i = at + 1
  while (i < length && json[i] !== quote) i += json[i] === backslash ? 2 : 1
  return i + 1
}

/** From the first byte of a value to after its last. */
export function skipValue(json: Buffer, at: number): number {
  const first = json[at]
  if (first === quote) return skipString(json, at)
  let i = at
  if (first === openBrace || first === openBracket) {
    let depth = 0
    do {
      const c = json[i]
      if (c === quote) {
        i = skipString(json, i)
        continue
      }
      if (c === openBrace || c === openBracket) depth++
      else if (c === closeBrace || c === closeBracket) depth--
      i++
    } while (depth > 0 && i < json.length)
    return i
  }
  while (i < json.length && json[i] !== comma && json[i] !== closeBrace && json[i] !== closeBracket) i++
  return i
}

/** Whether the bytes at an offset are these. */
export function startsWith(bytes: Buffer, at: number, text: Buffer): boolean {
  const { length } = text
  if (at + length > bytes.length) return false
  // Texts are short: a call of the runtime takes longer.
  for (let i = 0; i < length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}

const metadataName = Buffer.from('"metadata":{')

/** Where the value of the top-level member `metadata` begins (its brace), looking from the member at `from` on; -1 where there is none. */
export function findMetadata(json: Buffer, from: number): number {
  let i = from
  while (i < json.length && json[i] === quote) {
    if (startsWith(json, i, metadataName)) return i + metadataName.length - 1
    i = skipValue(json, skipString(json, i) + 1)
    if (json[i] === comma) i++
  }
  return -1
}

/**
 * Where the value of a member begins, of the object whose brace is at `at`; -1 where it has none of this name. The name has no escapes.
 * @param later Optional. A member that never stands before that of the name: the search ends with it.
 */
export function memberAt(json: Buffer, at: number, name: Buffer, later?: Buffer): number {
  let i = at + 1
  while (json[i] === quote) {
    const end = skipString(json, i)
    const length = end - i - 2
    if (length === name.length && startsWith(json, i + 1, name)) return end + 1
    if (later !== undefined && length === later.length && startsWith(json, i + 1, later)) return -1
    i = skipValue(json, end + 1)
    if (json[i] === comma) i++
  }
  return -1
}

/** The string at an offset; empty where there is another value. */
export function textAt(json: Buffer, at: number): string {
  if (json[at] !== quote) return ''
  const end = skipString(json, at)
  const text = json.toString('utf8', at + 1, end - 1)
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text
}

const revisionName = 'resourceVersion'

/** Of a struct, the members of ObjectMeta that come before: uid, name, selfLink, namespace, generateName. No other member has a name of these lengths. */
const lengthsBefore = new Set([3, 4, 8, 9, 12])

function comesBefore(json: Buffer, start: number, end: number, order: MemberOrder): boolean {
  return order === 'struct' ? lengthsBefore.has(end - start) : json.toString('latin1', start, end) < revisionName
}

const isRevision = (json: Buffer, start: number, end: number): boolean =>
  end - start === revisionName.length && json.toString('latin1', start, end) === revisionName

export interface SpliceOptions {
  /** Where the JSON ends. Default: with the buffer. */
  readonly end?: number
  readonly allocate?: Allocate | undefined
}

/**
 * The JSON with metadata.resourceVersion put in at its place, or replaced.
 * @param metadata offset of the brace that opens the metadata
 */
export function spliceRevision(json: Buffer, metadata: number, revision: Revision, order: MemberOrder, options: SpliceOptions = {}): Buffer {
  const { end = json.length, allocate = Buffer.allocUnsafe } = options
  const replace = (from: number, to: number, text: string): Buffer => {
    const out = allocate(end - (to - from) + text.length)
    const { length } = text
    if (json.length <= out.length) {
      // Part by part takes a view for each.
      out.set(json)
      out.copyWithin(from + length, to, end)
    } else {
      json.copy(out, 0, 0, from)
      json.copy(out, from + length, to, end)
    }
    for (let i = 0; i < length; i++) out[from + i] = text.charCodeAt(i)
    return out
  }
  let i = metadata + 1
  while (json[i] === quote) {
    const nameEnd = skipString(json, i)
    if (isRevision(json, i + 1, nameEnd - 1)) return replace(nameEnd + 1, skipValue(json, nameEnd + 1), `"${revision}"`)
    if (!comesBefore(json, i + 1, nameEnd - 1, order)) break
    i = skipValue(json, nameEnd + 1)
    if (json[i] === comma) i++
  }
  const member = `"${revisionName}":"${revision}"`
  if (json[i] === quote) return replace(i, i, `${member},`)
  return replace(i, i, i === metadata + 1 ? member : `,${member}`)
}
