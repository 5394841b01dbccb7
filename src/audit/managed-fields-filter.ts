const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d

/** Depth of the deepest metadata of an object: `rows[].object.metadata`. */
const DEEPEST = 5
const DROPPED = 'managedFields'

/**
 * Removes managed fields from compact JSON that comes in parts: those of an object, of each item of a list, and of each
 * object in the rows of a Table. Everything else is copied byte by byte, so that numbers are unchanged.
 */
export class ManagedFieldsFilter {
  #depth = 0
  #inString = false
  #escaped = false
  /** Key of each open container, outermost first. Empty in lists. */
  readonly #path: string[] = []
  readonly #isObject: boolean[] = []
  /** Whether a key or the end of the object comes next. */
  #awaitsKey = false
  /** Beginning of the current key. Undefined outside of keys. */
  #key: string | undefined
  #lastKey = ''
  /** Whether a comma is due before the next member that is kept. */
  #comma = false
  #wrote = false
  /** Depth of the object whose member is being skipped; 0 if none is. */
  #skipping = 0

  /** Filters a part. Returns a new buffer. */
  write(part: Buffer): Buffer {
    // The previous part may have held back a comma and a key.
    const out = Buffer.allocUnsafe(part.length + Buffer.byteLength(this.#key ?? '') + 2)
    let at = 0
    for (const byte of part) at = this.#take(byte, out, at)
    return out.subarray(0, at)
  }

  /**
   * Passes or drops one byte outside of strings. Returns the offset in `out` after it. Commas are held back until the
   * next kept member.
   */
  #take(byte: number, out: Buffer, at: number): number {
    if (this.#inString) return this.#inText(byte, out, at)
    if (byte === QUOTE) {
      this.#inString = true
      if (this.#awaitsKey) {
        this.#key = ''
        return at
      }
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#open(byte === OPEN_OBJECT)
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) return this.#close(byte, out, at)
    else if (byte === COMMA && this.#isObject[this.#depth - 1]) {
      if (this.#skipping !== this.#depth && this.#skipping > 0) return at
      this.#skipping = 0
      this.#awaitsKey = true
      this.#comma = this.#wrote
      return at
    }
    return this.#pass(byte, out, at)
  }

  /**
   * Holds back a key until it is known whether it is kept. A key that is longer than the removed one is kept. Latin-1
   * preserves its bytes.
   */
  #inText(byte: number, out: Buffer, at: number): number {
    const ends = byte === QUOTE && !this.#escaped
    this.#escaped = byte === BACKSLASH && !this.#escaped
    if (ends) this.#inString = false
    if (this.#key === undefined) return this.#pass(byte, out, at)
    if (ends) return this.#endKey(this.#key, out, at)
    this.#key += String.fromCharCode(byte)
    return this.#key.length > DROPPED.length ? this.#keep(this.#key, out, at) : at
  }

  #endKey(key: string, out: Buffer, at: number): number {
    if (this.#skipping === 0 && key === DROPPED && this.#isMetadata()) this.#skipping = this.#depth
    return this.#pass(QUOTE, out, this.#keep(key, out, at))
  }

  /** Writes a key, or the beginning of one, unless it is within a skipped member. */
  #keep(key: string, out: Buffer, at: number): number {
    this.#key = undefined
    this.#awaitsKey = false
    this.#lastKey = key
    if (this.#skipping > 0) return at
    let to = at
    if (this.#comma) out[to++] = COMMA
    this.#comma = false
    this.#wrote = true
    out[to++] = QUOTE
    return to + out.write(key, to, 'latin1')
  }

  #open(isObject: boolean): void {
    this.#path[this.#depth] = isObject || this.#isObject[this.#depth - 1] ? this.#lastKey : ''
    this.#isObject[this.#depth] = isObject
    this.#depth++
    this.#lastKey = ''
    this.#awaitsKey = isObject
    if (this.#skipping > 0) return
    this.#comma = false
    this.#wrote = false
  }

  /** Ends a list or object, and the skipped member that it is or contains. */
  #close(byte: number, out: Buffer, at: number): number {
    // The skipped member was the last one.
    if (this.#skipping === this.#depth) this.#skipping = 0
    this.#depth--
    this.#awaitsKey = false
    if (this.#skipping > 0) return at
    // The container that ended is a member of the one around it.
    this.#comma = false
    this.#wrote = true
    out[at] = byte
    return at + 1
  }

  #pass(byte: number, out: Buffer, at: number): number {
    if (this.#skipping > 0) return at
    out[at] = byte
    return at + 1
  }

  #isMetadata(): boolean {
    if (this.#depth > DEEPEST) return false
    const [, first, , third, fourth] = this.#path
    if (this.#depth === 2) return first === 'metadata'
    if (this.#depth === 4) return first === 'items' && third === 'metadata'
    return this.#depth === 5 && first === 'rows' && third === 'object' && fourth === 'metadata'
  }
}
