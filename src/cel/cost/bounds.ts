/** The least and the most that something may be: a size or a cost. Of 64 bits without sign; what is beyond is the greatest of them. */
export interface Bounds {
  readonly min: bigint
  readonly max: bigint
}

/** What nothing bounds: the greatest number of 64 bits. It absorbs what is added to it. */
export const UNBOUNDED = (1n << 64n) - 1n

/** Sums and products stay within 64 bits, where Go's saturate as well. */
export const capped = (value: bigint): bigint => (value > UNBOUNDED ? UNBOUNDED : value)

/** Known to the unit. */
export const exactly = (value: bigint | number): Bounds => ({ min: BigInt(value), max: BigInt(value) })
export const between = (min: bigint | number, max: bigint | number): Bounds => ({ min: BigInt(min), max: BigInt(max) })
/** Costs nothing, or has no elements. */
export const NOTHING = exactly(0)
export const ONE = exactly(1)
/** Of a size that neither the expression nor the schema limits. */
export const UNKNOWN = between(0n, UNBOUNDED)

export const addBounds = (a: Bounds, b: Bounds): Bounds => ({ min: capped(a.min + b.min), max: capped(a.max + b.max) })
export const multiplyBounds = (a: Bounds, b: Bounds): Bounds => ({ min: capped(a.min * b.min), max: capped(a.max * b.max) })

/** Bounds that hold for either. */
export const unionBounds = (a: Bounds, b: Bounds): Bounds => ({ min: lesser(a.min, b.min), max: a.max + b.max - lesser(a.max, b.max) })

/** Math.min for bigints. */
export function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
}

/** Rounded up, for a cost is never less than it is. Doubles lose digits where it no longer matters. */
function scale(value: bigint, factor: number): bigint {
  const product = Math.ceil(Number(value) * factor)
  return product >= 2 ** 64 ? UNBOUNDED : BigInt(product)
}

/** Times a fraction, rounded up. */
export const scaleBounds = ({ min, max }: Bounds, factor: number): Bounds => ({ min: scale(min, factor), max: scale(max, factor) })
