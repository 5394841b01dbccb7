import type { RangeQuery } from './backend.ts'
import { keyAhead } from './key-ahead.ts'
import type { Key } from './revision.ts'

/** A range of keys. The end is exclusive. */
export type KeyRange = Pick<RangeQuery, 'start' | 'end'>

/** A part of a range of which a page has been requested. */
interface RequestedPart<Page> extends KeyRange {
  /** A failure is thrown when the page is awaited. A caller that ends earlier never awaits it. */
  readonly page: Promise<Page>
}

/** Parts with an estimated end that are requested at once. */
const AT_ONCE = 2
/** Share of the limit that is estimated to be in a part, so that most have no more keys than fit in a page. */
const FILLED = 0.9
/** Estimates reach at most this many times as far as the part that they are based on. */
const FURTHEST = 4
/** A page with less than this share of its limit is no basis for an estimate. */
const LEAST = 0.25

/**
 * Requests pages of a range before the caller needs them, and returns them in order. etcd counts all keys up to the end
 * of a request for each page, which for a large range takes as long as reading it, and only a page has the key after
 * which the next one begins. If allowed, requests therefore end at a key that is estimated from those of the latest
 * page, and two are made at once: the store prepares one page while the other is transferred. If a part has more keys
 * than estimated, its rest is requested before later parts. If it has far fewer, the next request has no estimated end.
 */
export class PagesAhead<Page> {
  readonly #end: Key
  readonly #read: (range: KeyRange, limit: number) => Promise<Page>
  readonly #requested: RequestedPart<Page>[] = []
  /** Rest of the latest part, if later parts have been requested. */
  #rest: KeyRange | undefined
  /** Range after all requested parts. */
  #left: KeyRange | undefined
  /** Keys of the latest page, if they are a basis for estimates. */
  #latest: { readonly from: Key; readonly to: Key; readonly length: number } | undefined
  #limit = 0
  /** Number of keys after those of all pages received, if the store counts. Only estimates depend on it. */
  #remaining: number | undefined

  constructor({ start, end }: KeyRange, read: (range: KeyRange, limit: number) => Promise<Page>) {
    this.#end = end
    this.#left = { start, end }
    this.#read = read
  }

  /** Whether the range has keys that `next` has not returned pages for, or may have them. */
  get hasMore(): boolean {
    return this.#requested.length > 0 || this.#rest !== undefined || this.#left !== undefined
  }

  /** Returns the first part that has been requested. Undefined after the last one. */
  next(): RequestedPart<Page> | undefined {
    return this.#requested.shift()
  }

  /**
   * Must be called with each page. `rest`: where the part goes on after it, if it does. `length`: number of its keys.
   * `count`: number of keys from its first one to the end of the part, if the store counts.
   */
  received(
    { start, end }: KeyRange,
    rest: Key | undefined,
    { length, count }: { readonly length: number; readonly count: number | undefined },
  ): void {
    if (end === this.#end) this.#remaining = count === undefined ? undefined : count - length
    else if (this.#remaining !== undefined) this.#remaining -= length
    if (rest !== undefined && end === this.#end) this.#left = { start: rest, end }
    else if (rest !== undefined) this.#rest = { start: rest, end }
    const isBasis = rest !== undefined || length >= this.#limit * LEAST
    this.#latest = isBasis ? { from: start, to: rest ?? end, length } : undefined
  }

  /** Continues at a key, because the caller has read up to it. No part is requested at that time. */
  continueAt(start: Key): void {
    this.#left = { start, end: this.#end }
  }

  /** Requests what can be requested now, in pages of up to `limit` keys. */
  request(limit: number, mayEstimate: boolean): void {
    this.#limit = limit
    if (this.#rest !== undefined) this.#requested.unshift(this.#part(this.#rest, limit))
    this.#rest = undefined
    while (this.#left !== undefined && this.#requested.length < (mayEstimate ? AT_ONCE : 1)) {
      const { start } = this.#left
      const estimated = mayEstimate ? this.#estimate(start) : undefined
      this.#requested.push(this.#part({ start, end: estimated ?? this.#end }, limit))
      this.#left = estimated === undefined ? undefined : { start: estimated, end: this.#end }
    }
  }

  #part(range: KeyRange, limit: number): RequestedPart<Page> {
    const page = this.#read(range, limit)
    page.catch(() => {})
    return { ...range, page }
  }

  /** Returns the estimated end of a part that begins at a key. Undefined if it cannot be estimated, or is the last. */
  #estimate(start: Key): Key | undefined {
    const remaining = this.#remaining ?? 0
    if (this.#latest === undefined || remaining - this.#requested.length * FILLED * this.#limit <= this.#limit) return undefined
    const { from, to, length } = this.#latest
    const factor = (FILLED * this.#limit) / length
    if (factor > FURTHEST) return undefined
    const estimated = keyAhead(from, to, factor * (this.#requested.length + 1))
    return estimated !== undefined && estimated > start && (estimated < this.#end || this.#end === '\0') ? estimated : undefined
  }
}
