import type { KubeObject } from '../../api/meta/object.ts'
import type { FilledBody } from '../../lib/filled-body.ts'
import type { Encoded } from '../../storage/storage.ts'

/** Object of a row with cached JSON: a StoredObject, which may cache derived data. */
export interface ReadySource {
  /** Parsed object, shared with others. */
  object(): KubeObject
  /** Cached JSON, shared with others. */
  json(): Encoded
  noted?(by: object): unknown
  note?(by: object, value: object, bytes: number): void
}

/** Object of a row, with or without cached JSON. */
export type RowSource = ReadySource | { object(): KubeObject; readonly json?: undefined }

/** Buffers for texts: a small one for a short response, then larger ones. */
const FIRST_BYTES = 4 * 1024
/** Size of the further buffers, unless a text is longer. */
const PART_BYTES = 64 * 1024
/** Maximum bytes of a UTF-16 unit in UTF-8. */
const MOST_BYTES = 3

/** A source of JSON bytes. */
export interface JsonSource {
  /** JSON whose parts are copied when the body is sent. */
  json(): Encoded
}

const OWN = 0
/** Offset in a piece of the start in the source's JSON. */
const FROM = 1
/** Offset in a piece of the end in the source's JSON, which is exclusive. */
const TO = 2
const NUMBERS = 3

/**
 * A long text with parts of cached JSON between texts of its own. Only the latter are stored, outside of the heap: a
 * hundred thousand rows leave no garbage, and the JSON is copied when it is sent.
 */
export class SplicedBody {
  /** Own texts, one after the other. No text spans two buffers. */
  readonly #texts: Buffer[] = []
  #used = 0
  readonly #sources: (JsonSource | undefined)[] = []
  /** For each piece: the bytes of the text before it, and its start and end in the JSON of its source. */
  #numbers = new Int32Array(64 * NUMBERS)
  #length = 0

  /** Adds a text, followed by these bytes of the source's JSON. */
  add(text: string, source?: JsonSource, from = 0, to = 0): void {
    const own = this.#write(text)
    const at = NUMBERS * this.#sources.length
    if (at === this.#numbers.length) {
      const more = new Int32Array(2 * at)
      more.set(this.#numbers)
      this.#numbers = more
    }
    this.#numbers[at + OWN] = own
    this.#numbers[at + FROM] = from
    this.#numbers[at + TO] = to
    this.#sources.push(source)
    this.#length += own + to - from
  }

  /**
   * Appends a text as UTF-8. Returns its length in bytes. A buffer that cannot take the longest encoding of the text is
   * cut and left behind.
   */
  #write(text: string): number {
    const most = MOST_BYTES * text.length
    let part = this.#texts.at(-1)
    if (part === undefined || this.#used + most > part.length) {
      if (part !== undefined) this.#texts[this.#texts.length - 1] = part.subarray(0, this.#used)
      part = Buffer.allocUnsafeSlow(Math.max(part === undefined ? FIRST_BYTES : PART_BYTES, most))
      this.#used = 0
      this.#texts.push(part)
    }
    const written = part.write(text, this.#used)
    this.#used += written
    return written
  }

  /** Opens the body at its beginning. Nothing can be added afterwards. */
  open(): FilledBody {
    const [texts, sources, numbers] = [this.#texts, this.#sources, this.#numbers]
    let next = 0
    let part = 0
    let read = 0
    const fill = (target: Buffer): Buffer => {
      let at = 0
      for (; next < sources.length; next++) {
        const own = numbers[NUMBERS * next + OWN] ?? 0
        const from = numbers[NUMBERS * next + FROM] ?? 0
        const to = numbers[NUMBERS * next + TO] ?? 0
        const size = own + to - from
        if (at + size > target.length && at > 0) break
        if (read === texts[part]?.length && part < texts.length - 1) {
          part++
          read = 0
        }
        const json = sources[next]?.json().bytes
        const into = size > target.length ? Buffer.allocUnsafe(size) : target
        texts[part]?.copy(into, at, read, read + own)
        json?.copy(into, at + own, from, to)
        read += own
        at += size
        if (into !== target) {
          next++
          return into
        }
      }
      return target.subarray(0, at)
    }
    return { length: this.#length, fill }
  }
}
