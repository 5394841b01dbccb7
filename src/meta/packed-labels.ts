import { randomFillSync } from 'node:crypto'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const CLOSE_BRACE = 0x7d

/** Number of characters that keys may have. */
const ASCII = 128
/** Characters of a key that have random numbers of their own. A valid key has at most 317. */
const POSITIONS = 320

/**
 * A random number for each character at each position. A key's hash combines those of its characters (tabulation
 * hashing), so that clients cannot choose keys with equal hashes.
 */
let numbers: Int32Array | undefined

/** Returns the random numbers, which are drawn once for each process. */
function hashNumbers(): Int32Array {
  numbers ??= randomFillSync(new Int32Array(POSITIONS * ASCII))
  return numbers
}

/**
 * Very many labels, found in the bytes of the object's JSON. 65,000 are prepared in 1 to 3 ms, where parsing them takes
 * ten times as long, and need a megabyte of memory. The bytes must not change.
 */
export class PackedLabels {
  readonly #json: Buffer
  /** Offset of each key, after its quote. */
  readonly #keys: Int32Array
  readonly #hashes: Int32Array
  /** Hash table with open addressing: index of a key plus one, or 0. At most half of it is used. */
  readonly #slots: Int32Array

  private constructor(json: Buffer, keys: Int32Array, hashes: Int32Array) {
    this.#json = json
    this.#keys = keys
    this.#hashes = hashes
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * keys.length + 2)))
    for (let i = 0; i < keys.length; i++) this.#slots[this.#slotOf(keys[i] ?? 0, hashes[i] ?? 0)] = i + 1
  }

  /**
   * Reads the compact JSON of labels between two offsets. Undefined if it has an escape sequence, a key beyond ASCII or
   * a value that is not a string: valid labels have none.
   */
  static read(json: Buffer, at: number, end: number): PackedLabels | undefined {
    const random = hashNumbers()
    let keys = new Int32Array(4096)
    let hashes = new Int32Array(4096)
    let count = 0
    let i = at + 1
    while (json[i] === QUOTE) {
      const key = i + 1
      let hash = 0
      let row = 0
      for (i = key; i < end && json[i] !== QUOTE; i++) {
        const c = json[i] ?? ASCII
        if (c >= ASCII || c === BACKSLASH) return undefined
        hash ^= random[row + c] ?? 0
        row = row + ASCII === random.length ? 0 : row + ASCII
      }
      if (json[i + 1] !== COLON || json[i + 2] !== QUOTE) return undefined
      for (i += 3; i < end && json[i] !== QUOTE; i++) if (json[i] === BACKSLASH) return undefined
      if (count === keys.length) {
        keys = doubled(keys)
        hashes = doubled(hashes)
      }
      keys[count] = key
      hashes[count++] = hash
      if (json[++i] === COMMA) i++
    }
    return json[i] === CLOSE_BRACE && i + 1 === end ? new PackedLabels(json, keys.subarray(0, count), hashes.subarray(0, count)) : undefined
  }

  /** Returns the value of a label; undefined if it is absent. */
  get(name: string): string | undefined {
    const at = this.find(name)
    return at === -1 ? undefined : this.valueAt(at)
  }

  /** Returns the offset of a label's value. -1 if the label is absent. */
  find(name: string): number {
    const random = hashNumbers()
    let hash = 0
    let row = 0
    for (let i = 0; i < name.length; i++) {
      const c = name.charCodeAt(i)
      if (c >= ASCII) return -1
      hash ^= random[row + c] ?? 0
      row = row + ASCII === random.length ? 0 : row + ASCII
    }
    const slots = this.#slots
    for (let slot = hash & (slots.length - 1); ; slot = (slot + 1) & (slots.length - 1)) {
      const found = (slots[slot] ?? 0) - 1
      if (found < 0) return -1
      const key = this.#keys[found] ?? 0
      // The value is behind the quote, a colon and a quote.
      if (this.#hashes[found] === hash && this.#isText(key, name)) return key + name.length + 3
    }
  }

  /** Decodes the value at an offset, which takes longer than finding it. */
  valueAt(offset: number): string {
    return this.#json.toString('utf8', offset, this.#json.indexOf(QUOTE, offset))
  }

  /** Reports whether the value at an offset is one of a few, without decoding it if they are ASCII. */
  isOneOf(offset: number, values: ReadonlySet<string>): boolean {
    for (const value of values) {
      if (this.#isText(offset, value)) return true
      if (!isAscii(value)) return values.has(this.valueAt(offset))
    }
    return false
  }

  /** Whether the string at an offset is this text. A text beyond ASCII is never found. */
  #isText(offset: number, text: string): boolean {
    const json = this.#json
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i)
      if (json[offset + i] !== c || c >= ASCII) return false
    }
    return json[offset + text.length] === QUOTE
  }

  /** Returns the slot of a key that is to be added: an empty one, or that of an equal key, which it replaces. */
  #slotOf(key: number, hash: number): number {
    const slots = this.#slots
    let slot = hash & (slots.length - 1)
    for (;;) {
      const other = (slots[slot] ?? 0) - 1
      if (other < 0 || (this.#hashes[other] === hash && this.#isSame(key, this.#keys[other] ?? 0))) return slot
      slot = (slot + 1) & (slots.length - 1)
    }
  }

  /** Compares the keys at two offsets, each up to its quote. */
  #isSame(key: number, other: number): boolean {
    const json = this.#json
    let i = 0
    while (json[key + i] === json[other + i] && json[key + i] !== QUOTE) i++
    return json[key + i] === json[other + i]
  }
}

/** Whether the bytes of a text are its characters. */
function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= ASCII) return false
  return true
}

/** Returns a copy with room for as many numbers again. */
function doubled(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * numbers.length)
  more.set(numbers)
  return more
}
