/** Minimum and maximum of a size or a cost, as unsigned 64-bit integers. Larger values are capped. */
export interface CostBounds {
  readonly min: bigint
  readonly max: bigint
}

/** Maximum of a value that has no limit. Adding to it does not change it. */
export const UNBOUNDED = (1n << 64n) - 1n

/** Caps a sum or product at 64 bits, where Go's saturate as well. */
export const capped = (value: bigint): bigint => (value > UNBOUNDED ? UNBOUNDED : value)

/** Bounds of a known value. */
export const exactly = (value: bigint | number): CostBounds => ({ min: BigInt(value), max: BigInt(value) })
/** Bounds of a value in a range. `min` must not exceed `max`. */
export const between = (min: bigint | number, max: bigint | number): CostBounds => ({ min: BigInt(min), max: BigInt(max) })
/** Bounds of a cost or size of zero. */
export const NOTHING = exactly(0)
export const ONE = exactly(1)
/** Bounds of a size that neither the expression nor the schema limits. */
export const UNKNOWN = between(0n, UNBOUNDED)

/** Bounds of a sum, which saturates at 64 bits. The same applies to a product. */
export const addBounds = (a: CostBounds, b: CostBounds): CostBounds => ({ min: capped(a.min + b.min), max: capped(a.max + b.max) })
export const multiplyBounds = (a: CostBounds, b: CostBounds): CostBounds => ({ min: capped(a.min * b.min), max: capped(a.max * b.max) })

/** Returns the bounds that include both. */
export const unionBounds = (a: CostBounds, b: CostBounds): CostBounds => ({
  min: lesser(a.min, b.min),
  max: a.max + b.max - lesser(a.max, b.max),
})

/** Returns the lesser of two bigints. */
export function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
}

/** Multiplies and rounds up. Values beyond 2^53 lose precision, as they do upstream. */
function scale(value: bigint, factor: number): bigint {
  const product = Math.ceil(Number(value) * factor)
  return product >= 2 ** 64 ? UNBOUNDED : BigInt(product)
}

/** Multiplies bounds by a fraction and rounds up. */
export const scaleBounds = ({ min, max }: CostBounds, factor: number): CostBounds => ({ min: scale(min, factor), max: scale(max, factor) })
