import { isStepDone, type Steps } from '../../lib/steps.ts'
import { longCall } from '../long-work.ts'
import { spendWork } from '../work.ts'
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

/** Returns the cost of reading all of a value. It is work of the current call: lists can contain a list many times. */
export const traversalCost = (value: Value): number =>
  value instanceof CelList || value instanceof CelMap ? longCall(() => traverse(value)) : leafCost(value)

function* traverse(root: Value): Steps<number> {
  let cost = 0
  yield* visitParts(root, containedValues, value => {
    spendWork(1 + (typeof value === 'string' ? value.length : 0))
    if (!(value instanceof CelList || value instanceof CelMap)) cost += leafCost(value)
  })
  return cost
}

/** Returns the elements of a list, or the keys and values of a map. Undefined for other values. */
export function containedValues(value: Value): Iterable<Value> | undefined {
  if (value instanceof CelList) return elementsOf(value)
  return value instanceof CelMap ? membersOf(value) : undefined
}

function* elementsOf(list: CelList): Generator<Value> {
  for (let i = 0; i < list.size; i++) yield list.at(i)
}

function* membersOf(map: CelMap): Generator<Value> {
  for (const entry of map.entries()) yield* entry
}

/**
 * Visits all parts of a value in steps, and a shared part once for each occurrence. Not recursive: values can be nested
 * deeply.
 * @param parts returns the parts of a value, or undefined.
 */
export function* visitParts(root: Value, parts: (value: Value) => Iterable<Value> | undefined, visit: (value: Value) => void): Steps<void> {
  const open: Iterator<Value>[] = [[root].values()]
  for (let inner = open.at(-1); inner; inner = open.at(-1)) {
    const { done, value } = inner.next()
    if (done) {
      open.pop()
      continue
    }
    visit(value)
    if (isStepDone()) yield
    const nested = parts(value)
    if (nested) open.push(nested[Symbol.iterator]())
  }
}

function leafCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * 0.1)
  return value instanceof Uint8Array ? Math.floor(value.length * 0.1) : 1
}
