import { isJsonObject, type Json, type JsonObject } from '../api/meta/object.ts'
import type { Steps } from '../lib/steps.ts'
import { noteMembers } from '../lib/wide-objects.ts'
import { setMember } from '../meta/equal.ts'

/** Parses a short text. Returns undefined if it is not JSON, or JSON.parse would lose part of it. */
type ParseShort = (text: string) => Json | undefined

/** A list or object whose end has not been read. */
interface Open {
  readonly isList: boolean
  /** Offset of its opening bracket. */
  readonly start: number
  /** Offset of the first character that is not yet in `value`. */
  from: number
  /** Offset of the last comma between its members, or of the opening bracket. */
  comma: number
  /** Set once the list or object is known to be long. */
  value: JsonObject | Json[] | undefined
  /** Members of `value`. */
  count: number
  /** A long member ends right before `from`. */
  isAfterLong: boolean
}

/** Characters of a list or object that are parsed together. */
const CHUNK = 16 * 1024
/** Nesting limit of Go's encoding/json. */
const DEEPEST = 10_000

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/**
 * Parses a long text in steps: short members are parsed together, one chunk a step. Undefined if a chunk cannot be
 * parsed on its own, a member appears in two chunks, or the text is not a list or object.
 */
export function* parseInChunks(text: string, parseShort: ParseShort): Steps<Json | undefined> {
  const parser = new ChunkParser(text, parseShort)
  let next = CHUNK
  while (parser.readToken()) {
    if (parser.at < next) continue
    next = parser.at + CHUNK
    yield
  }
  return parser.result
}

class ChunkParser {
  at = 0
  /** Value of a text that was read to its end. */
  result: Json | undefined
  readonly #text: string
  readonly #parseShort: ParseShort
  readonly #stack: Open[] = []

  constructor(text: string, parseShort: ParseShort) {
    this.#text = text
    this.#parseShort = parseShort
  }

  /**
   * Reads to the end of the next string, or one other character. Returns false at the end of the text, or if it cannot
   * be parsed in chunks.
   */
  readToken(): boolean {
    const { at } = this
    const text = this.#text
    const top = this.#stack.at(-1)
    const c = text.charCodeAt(at)
    this.at++
    if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      this.#stack.push({ isList: c === OPEN_BRACKET, start: at, from: at + 1, comma: at, value: undefined, count: 0, isAfterLong: false })
      return this.#stack.length <= DEEPEST
    }
    if (top === undefined) return isSpace(c)
    if (c === QUOTE) return this.#skipString(at)
    if (c === COMMA) {
      if ((top.isAfterLong || at - top.from > CHUNK) && !this.#readChunk(top, at)) return false
      top.comma = at
      return true
    }
    if (c === CLOSE_BRACE || c === CLOSE_BRACKET) return (c === CLOSE_BRACKET) === top.isList && this.#close(top, at)
    return at < text.length
  }

  #skipString(from: number): boolean {
    const end = stringEnd(this.#text, from)
    this.at = end + 1
    return end > 0
  }

  /**
   * Returns false at the end of the root, too: the caller looks at `result`, which is undefined if the text is no JSON.
   */
  #close(top: Open, at: number): boolean {
    const stack = this.#stack
    if ((top.value !== undefined || at - top.from > CHUNK || stack.length === 1) && !this.#readRest(top, at)) return false
    stack.pop()
    const parent = stack.at(-1)
    if (parent === undefined) {
      if (isBlank(this.#text, at + 1, this.#text.length)) this.result = top.value
      return false
    }
    if (top.value !== undefined) {
      parent.from = at + 1
      parent.isAfterLong = true
    }
    return true
  }

  /**
   * Adds the remaining members of a list or object that ends at the offset. Only an empty one may end right after its
   * opening bracket.
   */
  #readRest(top: Open, at: number): boolean {
    return top.value === undefined && isBlank(this.#text, top.start + 1, at) ? this.#hold(this.#stack.length - 1) : this.#readChunk(top, at)
  }

  /** Adds the members before the offset, where the last of them has ended. */
  #readChunk(open: Open, to: number): boolean {
    const text = this.#text
    const { from } = open
    if (!this.#hold(this.#stack.length - 1)) return false
    open.from = to + 1
    if (!open.isAfterLong) return this.#addMembers(open, text.slice(from, to))
    open.isAfterLong = false
    return isBlank(text, from, to)
  }

  /** Creates the values of the open lists and objects up to this depth, with the members already read. */
  #hold(depth: number): boolean {
    const stack = this.#stack
    const text = this.#text
    let first = depth
    while (first >= 0 && stack[first]?.value === undefined) first--
    for (let i = first + 1; i <= depth; i++) {
      const [parent, open] = [stack[i - 1], stack[i]]
      if (open === undefined) return false
      open.value = open.isList ? [] : {}
      if (parent === undefined) continue
      if (parent.comma >= parent.from && !this.#addMembers(parent, text.slice(parent.from, parent.comma))) return false
      if (
        parent.isAfterLong ||
        !this.#addMembers(parent, `${text.slice(Math.max(parent.from, parent.comma + 1), open.start)}null`, open.value)
      )
        return false
    }
    return true
  }

  /**
   * Adds the members between two commas, at least one. `long`: value of a single long member, for which the text has
   * `null`.
   */
  #addMembers(open: Open, members: string, long?: Json): boolean {
    const { isList, value: target } = open
    const parsed = this.#parseShort(isList ? `[${members}]` : `{${members}}`)
    if (Array.isArray(parsed) && Array.isArray(target)) {
      for (const item of parsed) target.push(long ?? item)
      return parsed.length > 0
    }
    if (!isJsonObject(parsed) || !isJsonObject(target)) return false
    const before = open.count
    for (const key in parsed) {
      if (Object.hasOwn(target, key)) return false
      setMember(target, key, long ?? parsed[key])
      open.count++
    }
    noteMembers(target, open.count)
    return open.count > before
  }
}

const isSpace = (c: number): boolean => c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09

function isBlank(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!isSpace(text.charCodeAt(i))) return false
  return true
}

/** Offset of the closing quote of the string that opens at `from`; -1 if the string does not end. */
export function stringEnd(text: string, from: number): number {
  let end = from
  do {
    end = text.indexOf('"', end + 1)
  } while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end))
  return end
}

/** Whether the quote at the offset is escaped: an odd number of backslashes precedes it. */
function isEscaped(text: string, at: number): boolean {
  let start = at
  while (text.charCodeAt(start - 1) === BACKSLASH) start--
  return (at - start) % 2 === 1
}
