/** An unsigned 64-bit number in two halves. The high half of a bound may be 2^32: the end of the hash space. */
export interface Uint64 {
  readonly high: number
  readonly low: number
}

/** Selects the objects whose hash is in one of the ranges. KEP-5866. */
export interface ShardSelector {
  /** The metadata that is hashed. */
  readonly field: 'uid' | 'namespace'
  /** Each with an inclusive start and an exclusive end. */
  readonly ranges: readonly { readonly start: Uint64; readonly end: Uint64 }[]
  /** The selector as kube-apiserver prints it. */
  readonly text: string
}

const WORD = 0x1_0000_0000
const OFFSET: Uint64 = { high: 0xcbf2_9ce4, low: 0x8422_2325 }
/** The prime is 2^40 + this. */
const PRIME_LOW = 0x1b3

/** Returns the 64-bit FNV-1a hash of a text in UTF-8. http://www.isthe.com/chongo/tech/comp/fnv/ */
export function fnv1a64(text: string): Uint64 {
  let { high, low } = OFFSET
  for (const byte of Buffer.from(text)) {
    low = (low ^ byte) >>> 0
    const product = low * PRIME_LOW
    high = (high * PRIME_LOW + Math.floor(product / WORD) + low * 256) % WORD
    low = product % WORD
  }
  return { high, low }
}

/**
 * Returns a test of whether the hash of a value is in one of the selector's ranges, of which there may be a thousand.
 */
export function shardMatcher({ ranges }: ShardSelector): (value: string) => boolean {
  const sorted = [...ranges].sort((a, b) => compare(a.start, b.start))
  /** Ends of the ranges, each at least as high as those before. */
  const ends: Uint64[] = []
  for (const { end } of sorted) {
    const last = ends.at(-1)
    ends.push(last !== undefined && isLess(end, last) ? last : end)
  }
  return value => {
    const hash = fnv1a64(value)
    // Number of the ranges that start at or below the hash.
    let low = 0
    for (let high = sorted.length; low < high; ) {
      const middle = (low + high) >>> 1
      const start = sorted[middle]?.start
      if (start !== undefined && isLess(hash, start)) high = middle
      else low = middle + 1
    }
    const end = ends[low - 1]
    return end !== undefined && isLess(hash, end)
  }
}

/** Compares unsigned 64-bit integers, which are kept in halves since a number holds 53 bits. */
export const isLess = (a: Uint64, b: Uint64): boolean => a.high < b.high || (a.high === b.high && a.low < b.low)

const compare = (a: Uint64, b: Uint64): number => a.high - b.high || a.low - b.low
