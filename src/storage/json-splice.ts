import type { Revision } from './revision.ts'
import type { Allocate } from './storage.ts'

/**
 * Finds and inserts metadata.resourceVersion in compact JSON (no space between tokens, no repeated names) without parsing it.
 * Offsets are in bytes. Input must be well-formed JSON that this program wrote.
 */
const QUOTE_MARK = 0x22
const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const BACKSLASH = 0x5c

/** Order of members: that of a Go struct, or sorted by name as Go writes a map. */
export type MemberOrder = 'struct' | 'sorted'

/** Returns the offset after a string. `at` is its opening quote. */
function skipString(json: Buffer, at: number): number {
  const { length } = json
  let i = at + 1
  while (i < length && json[i] !== QUOTE_MARK) i += json[i] === BACKSLASH ? 2 : 1
  return i + 1
}

/** Returns the offset after a value. `at` is its first byte. */
export function skipValue(json: Buffer, at: number): number {
  const first = json[at]
  if (first === QUOTE_MARK) return skipString(json, at)
  let i = at
  if (first === OPEN_BRACE || first === OPEN_BRACKET) {
    let depth = 0
    do {
      const c = json[i]
      if (c === QUOTE_MARK) {
        i = skipString(json, i)
        continue
      }
      if (c === OPEN_BRACE || c === OPEN_BRACKET) depth++
      else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) depth--
      i++
    } while (depth > 0 && i < json.length)
    return i
  }
  while (i < json.length && json[i] !== COMMA && json[i] !== CLOSE_BRACE && json[i] !== CLOSE_BRACKET) i++
  return i
}

/** Reports whether `bytes` contain `text` at an offset. */
export function startsWith(bytes: Buffer, at: number, text: Buffer): boolean {
  const { length } = text
  if (at + length > bytes.length) return false
  // The texts are short, so a loop is faster than a call into the runtime.
  for (let i = 0; i < length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}

const METADATA_NAME = Buffer.from('"metadata":{')

/** Returns the offset of the opening brace of the top-level member `metadata`, searching from the member at `from`; -1 if the object has none. */
export function findMetadata(json: Buffer, from: number): number {
  let i = from
  while (i < json.length && json[i] === QUOTE_MARK) {
    if (startsWith(json, i, METADATA_NAME)) return i + METADATA_NAME.length - 1
    i = skipValue(json, skipString(json, i) + 1)
    if (json[i] === COMMA) i++
  }
  return -1
}

/**
 * Returns the offset of a member's value in the object whose brace is at `at`; -1 if it has no member of that name. The name must need no escapes.
 * @param later Optional. A member that never precedes the one sought: the search ends when it is found.
 */
export function memberAt(json: Buffer, at: number, name: Buffer, later?: Buffer): number {
  let i = at + 1
  while (json[i] === QUOTE_MARK) {
    const end = skipString(json, i)
    const length = end - i - 2
    if (length === name.length && startsWith(json, i + 1, name)) return end + 1
    if (later !== undefined && length === later.length && startsWith(json, i + 1, later)) return -1
    i = skipValue(json, end + 1)
    if (json[i] === COMMA) i++
  }
  return -1
}

/** Returns the string at an offset; empty if the value is not a string. */
export function textAt(json: Buffer, at: number): string {
  if (json[at] !== QUOTE_MARK) return ''
  const end = skipString(json, at)
  const text = json.toString('utf8', at + 1, end - 1)
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text
}

const REVISION_NAME = 'resourceVersion'

/** Lengths of the names that precede resourceVersion in ObjectMeta's Go struct: uid, name, selfLink, namespace, generateName. No other member of it has one of these lengths. */
const LENGTHS_BEFORE = new Set([3, 4, 8, 9, 12])

function comesBefore(json: Buffer, start: number, end: number, order: MemberOrder): boolean {
  return order === 'struct' ? LENGTHS_BEFORE.has(end - start) : json.toString('latin1', start, end) < REVISION_NAME
}

const isRevision = (json: Buffer, start: number, end: number): boolean =>
  end - start === REVISION_NAME.length && json.toString('latin1', start, end) === REVISION_NAME

/** Extent of the input and memory of the result. */
export interface SpliceOptions {
  /** Offset at which the JSON ends. Default: the end of the buffer. */
  readonly end?: number
  /** Allocates the result. Default: `Buffer.allocUnsafe`. */
  readonly allocate?: Allocate | undefined
}

/**
 * Returns a copy of the JSON with metadata.resourceVersion inserted in its position, or replaced.
 * @param metadata offset of the brace that opens the metadata
 */
export function spliceRevision(json: Buffer, metadata: number, revision: Revision, order: MemberOrder, options: SpliceOptions = {}): Buffer {
  const { end = json.length, allocate = Buffer.allocUnsafe } = options
  const replace = (from: number, to: number, text: string): Buffer => {
    const out = allocate(end - (to - from) + text.length)
    const { length } = text
    if (json.length <= out.length) {
      // One copy and a move avoid creating a view for each part.
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
  while (json[i] === QUOTE_MARK) {
    const nameEnd = skipString(json, i)
    if (isRevision(json, i + 1, nameEnd - 1)) return replace(nameEnd + 1, skipValue(json, nameEnd + 1), `"${revision}"`)
    if (!comesBefore(json, i + 1, nameEnd - 1, order)) break
    i = skipValue(json, nameEnd + 1)
    if (json[i] === COMMA) i++
  }
  const member = `"${REVISION_NAME}":"${revision}"`
  if (json[i] === QUOTE_MARK) return replace(i, i, `${member},`)
  return replace(i, i, i === metadata + 1 ? member : `,${member}`)
}
