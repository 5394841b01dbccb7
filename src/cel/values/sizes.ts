import { codePoints } from './strings.ts'
import { CelList, CelMap, CelObject, CelOptional, type Value } from './value.ts'

/** Returns the size that costs depend on, in characters, bytes, elements or entries. 1 for values without a size. */
export function sizeForCost(value: Value): number {
  if (typeof value === 'string') return codePoints(value)
  if (typeof value !== 'object' || value === null) return 1
  if (value instanceof CelList || value instanceof CelMap) return value.size
  if (value instanceof Uint8Array) return value.length
  return value instanceof CelObject ? (value.size?.() ?? 1) : 1
}

/** Returns sizeForCost of the value in an optional, or of any other value. */
export const heldSizeForCost = (value: Value): number =>
  value instanceof CelOptional && value.value !== undefined ? heldSizeForCost(value.value) : sizeForCost(value)

/**
 * Returns the smaller of two sizes in time proportional to it, because loops may compare a short text with a long one
 * in each round.
 */
export function smallerSizeForCost(first: Value, second: Value): number {
  if (typeof first !== 'string' || typeof second !== 'string') return Math.min(heldSizeForCost(first), heldSizeForCost(second))
  const [short, long] = first.length <= second.length ? [first, second] : [second, first]
  const size = codePoints(short)
  // A code point has at most two UTF-16 units.
  return size <= long.length / 2 ? size : Math.min(size, codePoints(long))
}

/** Returns the cost of reading all of a value. */
export function traversalCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * 0.1)
  if (value instanceof Uint8Array) return Math.floor(value.length * 0.1)
  let cost = 0
  if (value instanceof CelList) {
    for (let i = 0; i < value.size; i++) cost += traversalCost(value.at(i))
    return cost
  }
  if (!(value instanceof CelMap)) return 1
  for (const [key, member] of value.entries()) cost += traversalCost(key) + traversalCost(member)
  return cost
}
