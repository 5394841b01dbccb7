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

/** Reports whether the hash of the value is in one of the selector's ranges. */
export function matchesShard({ ranges }: ShardSelector, value: string): boolean {
  const hash = fnv1a64(value)
  return ranges.some(({ start, end }) => !isLess(hash, start) && isLess(hash, end))
}

export const isLess = (a: Uint64, b: Uint64): boolean => a.high < b.high || (a.high === b.high && a.low < b.low)
