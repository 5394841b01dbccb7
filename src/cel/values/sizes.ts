import { codePoints } from './strings.ts'
import { CelList, CelMap, CelObject, CelOptional, type Value } from './value.ts'

/** The size that costs are reckoned by: characters, bytes, elements or entries; 1 of what has none. */
export function sizeForCost(value: Value): number {
  if (typeof value === 'string') return codePoints(value)
  if (typeof value !== 'object' || value === null) return 1
  if (value instanceof CelList || value instanceof CelMap) return value.size
  if (value instanceof Uint8Array) return value.length
  return value instanceof CelObject ? (value.size?.() ?? 1) : 1
}

/** As sizeForCost, but an optional has the size of what it holds. */
export const heldSizeForCost = (value: Value): number =>
  value instanceof CelOptional && value.value !== undefined ? heldSizeForCost(value.value) : sizeForCost(value)

/** The smaller of two sizes, in time that depends on it alone: a short text is compared with a long one in each round of a loop. */
export function smallerSizeForCost(first: Value, second: Value): number {
  if (typeof first !== 'string' || typeof second !== 'string') return Math.min(heldSizeForCost(first), heldSizeForCost(second))
  const [short, long] = first.length <= second.length ? [first, second] : [second, first]
  const size = codePoints(short)
  // A code point has two units at most.
  return size <= long.length / 2 ? size : Math.min(size, codePoints(long))
}

/** What going through all of a value costs. */
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
