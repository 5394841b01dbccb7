import type { Revision } from './revision.ts'
import type { Allocate } from './storage.ts'

/**
 * Finds and inserts metadata.resourceVersion in compact JSON (no space between tokens, no repeated names) without
 * parsing it. Offsets are in bytes. Input must be well-formed JSON that this program wrote.
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

/** Returns the offset after a string. `at` is its opening quote, `length` the end of the JSON. */
function skipString(json: Buffer, at: number, length = json.length): number {
  let i = at + 1
  while (i < length && json[i] !== QUOTE_MARK) i += json[i] === BACKSLASH ? 2 : 1
  return i + 1
}

/** Returns the offset after a value. `at` is its first byte, `length` the end of the JSON. */
export function skipValue(json: Buffer, at: number, length = json.length): number {
  const first = json[at]
  if (first === QUOTE_MARK) return skipString(json, at, length)
  let i = at
  if (first === OPEN_BRACE || first === OPEN_BRACKET) {
    let depth = 0
    do {
      const c = json[i]
      if (c === QUOTE_MARK) {
        i = skipString(json, i, length)
        continue
      }
      if (c === OPEN_BRACE || c === OPEN_BRACKET) depth++
      else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) depth--
      i++
    } while (depth > 0 && i < length)
    return i
  }
  while (i < length && json[i] !== COMMA && json[i] !== CLOSE_BRACE && json[i] !== CLOSE_BRACKET) i++
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

/**
 * Returns the offset of the opening brace of the top-level member `metadata`, searching from the member at `from` to
 * the end of the JSON; -1 if the object has none.
 */
export function findMetadata(json: Buffer, from: number, length = json.length): number {
  let i = from
  while (i < length && json[i] === QUOTE_MARK) {
    if (startsWith(json, i, METADATA_NAME)) return i + METADATA_NAME.length - 1
    i = skipValue(json, skipString(json, i, length) + 1, length)
    if (json[i] === COMMA) i++
  }
  return -1
}

/**
 * Returns the offset of a member's value in the object whose brace is at `at`; -1 if it has no member of that name. The
 * name must need no escapes.
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

/**
 * Whether a member of this length precedes resourceVersion in ObjectMeta's Go struct: uid, name, selfLink, namespace,
 * generateName. No other member of it has one of these lengths.
 */
const isLengthBefore = (length: number): boolean => length === 3 || length === 4 || length === 8 || length === 9 || length === 12

function comesBefore(json: Buffer, start: number, end: number, order: MemberOrder): boolean {
  return order === 'struct' ? isLengthBefore(end - start) : json.toString('latin1', start, end) < REVISION_NAME
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
export function spliceRevision(
  json: Buffer,
  metadata: number,
  revision: Revision,
  order: MemberOrder,
  options: SpliceOptions = {},
): Buffer {
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
  const i = revisionPlace(json, metadata, order)
  const nameEnd = json[i] === QUOTE_MARK ? skipString(json, i) : i
  if (nameEnd > i && isRevision(json, i + 1, nameEnd - 1)) return replace(nameEnd + 1, skipValue(json, nameEnd + 1), `"${revision}"`)
  const member = `"${REVISION_NAME}":"${revision}"`
  if (nameEnd > i) return replace(i, i, `${member},`)
  return replace(i, i, i === metadata + 1 ? member : `,${member}`)
}

/**
 * Returns the offset of metadata.resourceVersion, or of the first member that follows it, or of the closing brace.
 * `length`: the end of the JSON.
 */
function revisionPlace(json: Buffer, metadata: number, order: MemberOrder, length = json.length): number {
  let i = metadata + 1
  while (i < length && json[i] === QUOTE_MARK) {
    const nameEnd = skipString(json, i, length)
    if (isRevision(json, i + 1, nameEnd - 1) || !comesBefore(json, i + 1, nameEnd - 1, order)) break
    i = skipValue(json, nameEnd + 1, length)
    if (json[i] === COMMA) i++
  }
  return i
}

const MEMBER_START = Buffer.from(`"${REVISION_NAME}":"`)

/** JSON in a longer buffer. The bytes before it, `room` of them, are free. */
export interface PlacedBytes {
  readonly start: number
  readonly end: number
  readonly room: number
}

/**
 * Inserts metadata.resourceVersion into JSON in place, by moving its beginning into the free bytes. Returns the offset
 * at which it begins then, or -1 if nothing has changed: `spliceRevision` has to copy JSON without enough room, or
 * whose metadata has a resourceVersion or no member after it.
 * @param metadata offset of the brace that opens the metadata.
 */
export function spliceInPlace(
  json: Buffer,
  { start, end, room }: PlacedBytes,
  metadata: number,
  revision: Revision,
  order: MemberOrder,
): number {
  const digits = digitsOf(revision)
  const grown = MEMBER_START.length + digits + 2
  const i = revisionPlace(json, metadata, order, end)
  if (grown > room || i >= end || json[i] !== QUOTE_MARK || isRevision(json, i + 1, skipString(json, i, end) - 1)) return -1
  json.copyWithin(start - grown, start, i)
  let at = i - grown
  for (let k = 0; k < MEMBER_START.length; k++) json[at++] = MEMBER_START[k] ?? 0
  at += digits
  for (let k = 1, rest: number = revision; k <= digits; k++, rest = Math.floor(rest / 10)) json[at - k] = 0x30 + (rest % 10)
  json[at] = QUOTE_MARK
  json[at + 1] = COMMA
  return start - grown
}

function digitsOf(n: number): number {
  let digits = 1
  for (let rest = n; rest >= 10; rest /= 10) digits++
  return digits
}
