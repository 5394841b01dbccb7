const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const NEWLINE = 0x0a
const SPACE = 0x20

/**
 * Indents JSON by two spaces a level like Go's json.Indent: empty objects and arrays stay on one line. Works on compact
 * JSON that may arrive in parts, and copies its tokens unchanged.
 */
export class JsonIndenter {
  #depth = 0
  #deepest = 0
  #inString = false
  #escaped = false
  /** Whether the last token opened a bracket, which the next one may close. */
  #opened = false

  /** Deepest nesting level so far. */
  get deepest(): number {
    return this.#deepest
  }

  /**
   * Returns the indented length of a part in bytes. Parts must be passed in order, each once, either all to `measure`
   * or all to `write`: state carries over from one to the next.
   */
  measure(part: Buffer): number {
    let length = part.length
    for (let i = 0; i < part.length; i++) {
      if (this.#inString) i = this.#passString(part, i)
      else length += this.#step(part[i] ?? 0)
    }
    return length
  }

  /**
   * Writes a part from offset `from` to `target` at offset `at`. Stops when the capacity left is less than the white
   * space of the current level needs. Returns both offsets reached.
   */
  write(part: Buffer, from: number, target: Buffer, at: number): { read: number; written: number } {
    let out = at
    let i = from
    while (i < part.length && target.length - out >= 2 * this.#depth + 8) {
      if (this.#inString) {
        const end = Math.min(this.#passString(part, i, i + target.length - out) + 1, part.length)
        for (; i < end; i++) target[out++] = part[i] ?? 0
        continue
      }
      const c = part[i++] ?? 0
      const more = this.#step(c)
      if (more === 0) target[out++] = c
      else if (c === COLON) {
        target[out++] = c
        target[out++] = SPACE
      } else if (c === COMMA) {
        target[out++] = c
        out = newLine(target, out, more)
      } else {
        out = newLine(target, out, more)
        target[out++] = c
      }
    }
    return { read: i, written: out }
  }

  /** Offset of the closing quote, or of the last byte before the end if the string continues beyond it. */
  #passString(part: Buffer, from: number, end = part.length): number {
    const last = Math.min(end, part.length)
    let i = from
    for (; i < last; i++) {
      const c = part[i]
      if (this.#escaped) this.#escaped = false
      else if (c === BACKSLASH) this.#escaped = true
      else if (c === QUOTE) {
        this.#inString = false
        return i
      }
    }
    return i - 1
  }

  /** Number of white space bytes that a byte adds: after a comma or colon, before any other. */
  #step(c: number): number {
    const closes = c === 0x7d || c === 0x5d
    let more = 0
    if (this.#opened) {
      this.#opened = false
      if (closes) return 0
      more = 1 + 2 * ++this.#depth
      if (this.#depth > this.#deepest) this.#deepest = this.#depth
    }
    if (closes) return 1 + 2 * --this.#depth
    if (c === QUOTE) this.#inString = true
    else if (c === 0x7b || c === 0x5b) this.#opened = true
    else if (c === COMMA) return 1 + 2 * this.#depth
    else if (c === COLON) return 1
    return more
  }
}

/** Writes a line feed and spaces, `length` bytes in all. Returns the offset after them. */
function newLine(target: Buffer, at: number, length: number): number {
  target[at] = NEWLINE
  for (let i = at + 1; i < at + length; i++) target[i] = SPACE
  return at + length
}

/** Indents a whole text in one call. */
export function indentJson(json: Buffer): Buffer {
  const measured = new JsonIndenter()
  const target = Buffer.allocUnsafe(measured.measure(json) + 2 * measured.deepest + 8)
  return target.subarray(0, new JsonIndenter().write(json, 0, target, 0).written)
}
