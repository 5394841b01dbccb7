const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const NEWLINE = 0x0a
const SPACE = 0x20

/**
 * The same JSON with two spaces a level, as Go's json.Indent writes it: empty objects and arrays stay on one line. Reads the text of compact JSON, which may come in parts, so nothing
 * in it changes.
 */
export class JsonIndenter {
  #depth = 0
  #deepest = 0
  #inString = false
  #escaped = false
  /** A bracket has been opened, and what comes next may close it. */
  #opened = false

  /** The deepest level so far. */
  get deepest(): number {
    return this.#deepest
  }

  /** The bytes that a part becomes. Parts are given in order, each once, either to `measure` or to `write`: the state goes on from one to the next. */
  measure(part: Buffer): number {
    let length = part.length
    for (let i = 0; i < part.length; i++) {
      if (this.#inString) i = this.#passString(part, i)
      else length += this.#step(part[i] ?? 0)
    }
    return length
  }

  /**
   * Writes a part, from `from` on, into the target from `at` on, as far as it has room: it stops where there is none for white space of the present depth. Gives what has been read
   * and written, as offsets.
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

  /** The offset of the last byte that is in the string, its closing quote included, or of the last one before the end. */
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

  /** Bytes of white space that a byte brings with it: after a comma or colon, before any other. */
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

/** A line feed and white space, together so many bytes. Returns where they end. */
function newLine(target: Buffer, at: number, length: number): number {
  target[at] = NEWLINE
  for (let i = at + 1; i < at + length; i++) target[i] = SPACE
  return at + length
}

/** Indents a whole text at once. */
export function indentJson(json: Buffer): Buffer {
  const measured = new JsonIndenter()
  const target = Buffer.allocUnsafe(measured.measure(json) + 2 * measured.deepest + 8)
  return target.subarray(0, new JsonIndenter().write(json, 0, target, 0).written)
}
