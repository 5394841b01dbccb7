import type { FilledBody } from '../../lib/filled-body.ts'
import type { KubeObject } from '../../meta/object.ts'
import type { Encoded } from '../../storage/storage.ts'

/** An object of a row whose JSON is ready: a StoredObject, which may keep what was made of it. */
export interface ReadySource {
  object(): KubeObject
  json(): Encoded
  noted?(by: object): unknown
  note?(by: object, value: object, bytes: number): void
}

/** An object of a row, and its JSON where that is ready. */
export type RowSource = ReadySource | { object(): KubeObject; readonly json?: undefined }

/** Memory for own texts: first for a short answer, then for a long one. */
const FIRST_BYTES = 4 * 1024
const PART_BYTES = 64 * 1024
/** UTF-8 has at most so many bytes for one unit of UTF-16. */
const MOST_BYTES = 3

/** What has ready bytes of JSON. */
export interface JsonSource {
  json(): Encoded
}

/** Numbers that are kept of a piece. */
const OWN = 0
const FROM = 1
const TO = 2
const NUMBERS = 3

/**
 * A long text in which parts of ready JSON stand between texts of its own. Those alone are kept, and outside of the heap: of a hundred thousand rows nothing is left to collect, and
 * what is ready is copied when it is sent.
 */
export class SplicedBody {
  /** Own texts, one after the other; none lies in two. */
  readonly #texts: Buffer[] = []
  #used = 0
  readonly #sources: (JsonSource | undefined)[] = []
  /** Of each piece: bytes of the own text before it, and where it begins and ends in the JSON of its source. */
  #numbers = new Int32Array(64 * NUMBERS)
  #length = 0

  /** Adds a text, and after it these bytes of the JSON of the source. */
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

  /** From its beginning; nothing can be added any more. */
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
