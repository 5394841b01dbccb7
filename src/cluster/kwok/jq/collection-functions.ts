import { JqError } from './errors.ts'
import type { JqRun, JqValueFunction } from './filter.ts'
import { add } from './operators.ts'
import { elementsOf, indexed } from './paths.ts'
import {
  compareValues,
  described,
  isList,
  isNumber,
  isObject,
  isTruthy,
  type JqValue,
  kindOf,
  memberOf,
  objectOf,
  sortedKeys,
} from './values.ts'

/** Elements that `range` makes at most, and depth of `flatten`. */
const MAX_RANGE = 1_000

/** Returns the list. Throws JqError for other values. */
function listIn(value: JqValue, run: JqRun): readonly JqValue[] {
  if (!isList(value)) throw new JqError(`expected an array but got: ${described(value, run.budget)}`)
  run.budget.spend(value.length)
  return value
}

const sorted = (value: JqValue, run: JqRun): JqValue[] => [...listIn(value, run)].sort((a, b) => compareValues(a, b, run.budget))

/** Returns the members of an object, or the elements of a list, as objects of key and value. */
export function entriesOf(value: JqValue, run: JqRun): JqValue[] {
  const keys = keysOf(value, run)
  const values = elementsOf(value, run.budget)
  run.budget.spend(keys.length)
  return keys.map((key, i) => objectOf(Object.entries({ key, value: values[i] ?? null })))
}

/** Makes an object of entries, whose names may have several spellings. */
export function fromEntries(entries: readonly JqValue[], run: JqRun): JqValue {
  const named = (entry: JqValue, names: readonly string[]): JqValue => {
    for (const name of names) {
      const value = indexed(entry, name, run.budget)
      if (isTruthy(value)) return value
    }
    return names.some(name => indexed(entry, name, run.budget) === false) ? false : null
  }
  return objectOf(
    entries.map((entry): [string, JqValue] => {
      const key = named(entry, ['key', 'k', 'name', 'Name', 'Key', 'K'])
      const value = named(entry, ['value', 'v', 'Value', 'V'])
      if (typeof key !== 'string') throw new JqError(`from_entries cannot be applied to a key: ${described(key, run.budget)}`)
      return [key, value]
    }),
  )
}

/** Reports whether a value contains another: texts by substring, lists and objects by parts. */
function contains(value: JqValue, part: JqValue, run: JqRun): boolean {
  run.budget.spend()
  if (kindOf(value) !== kindOf(part))
    throw new JqError(`cannot check contains(${described(part, run.budget)}): ${described(value, run.budget)}`)
  if (isObject(value) && isObject(part))
    return Object.keys(part).every(key => Object.hasOwn(value, key) && containsPart(memberOf(value, key), memberOf(part, key), run))
  if (isList(value) && isList(part)) return part.every(wanted => value.some(item => containsPart(item, wanted, run)))
  if (typeof value === 'string' && typeof part === 'string') {
    run.budget.spendText(value.length)
    return value.includes(part)
  }
  return compareValues(value, part, run.budget) === 0
}

/** Like `contains`, for parts: values of different types do not contain each other. */
const containsPart = (value: JqValue, part: JqValue, run: JqRun): boolean => kindOf(value) === kindOf(part) && contains(value, part, run)

function has(value: JqValue, key: JqValue, run: JqRun): boolean {
  if (value === null) return false
  if (isObject(value) && typeof key === 'string') return Object.hasOwn(value, key)
  if (isList(value) && isNumber(key)) return Number(key) >= 0 && Number(key) < value.length
  throw new JqError(`cannot check whether ${described(value, run.budget)} has a key: ${described(key, run.budget)}`)
}

function lengthOf(value: JqValue, run: JqRun): JqValue {
  if (value === null) return 0n
  if (typeof value === 'string') {
    run.budget.spendText(value.length)
    return BigInt(Array.from(value).length)
  }
  if (typeof value === 'bigint') return value < 0n ? -value : value
  if (typeof value === 'number') return Math.abs(value)
  if (isList(value)) return BigInt(value.length)
  if (isObject(value)) {
    const { length } = Object.keys(value)
    run.budget.spend(length)
    return BigInt(length)
  }
  throw new JqError(`length cannot be applied to: ${described(value, run.budget)}`)
}

function keysOf(value: JqValue, run: JqRun): JqValue[] {
  if (isList(value)) return value.map((_, i) => BigInt(i))
  if (isObject(value)) return sortedKeys(value)
  throw new JqError(`keys cannot be applied to: ${described(value, run.budget)}`)
}

function flattened(list: readonly JqValue[], depth: number, run: JqRun): JqValue[] {
  run.budget.spend(list.length + 1)
  return list.flatMap(item => (isList(item) && depth > 0 ? flattened(item, depth - 1, run) : [item]))
}

/** Returns the value at a path of keys. Null anywhere on it is the result. */
function valueAt(input: JqValue, path: JqValue, run: JqRun): JqValue {
  let at = input
  for (const key of listIn(path, run)) {
    if (at === null) return null
    at = indexed(at, key, run.budget)
  }
  return at
}

function range(from: JqValue, to: JqValue, run: JqRun): JqValue[] {
  if (!isNumber(from) || !isNumber(to))
    throw new JqError(`range cannot be applied to: ${described(from, run.budget)} and ${described(to, run.budget)}`)
  const length = Math.ceil(Number(to) - Number(from))
  if (length > MAX_RANGE) throw new JqError(`range of more than ${MAX_RANGE} elements`)
  run.budget.spend(Math.max(length, 0))
  return Array.from({ length: Math.max(length, 0) }, (_, i) => (typeof from === 'bigint' ? from + BigInt(i) : from + i))
}

/** Functions of lists and objects. */
export const COLLECTION_FUNCTIONS: Readonly<Record<string, JqValueFunction>> = {
  'length/0': lengthOf,
  'keys/0': keysOf,
  'has/1': (input, run, key = null) => has(input, key, run),
  'in/1': (input, run, object = null) => has(object, input, run),
  'contains/1': (input, run, part = null) => contains(input, part, run),
  'inside/1': (input, run, whole = null) => contains(whole, input, run),
  'add/0': (input, run) => elementsOf(input, run.budget).reduce<JqValue>((sum, item) => add(sum, item, run.budget), null),
  'first/0': (input, run) => indexed(input, 0n, run.budget),
  'last/0': (input, run) => indexed(input, -1n, run.budget),
  'nth/1': (input, run, index = null) => indexed(input, index, run.budget),
  'min/0': (input, run) => sorted(input, run)[0] ?? null,
  'max/0': (input, run) => sorted(input, run).at(-1) ?? null,
  'sort/0': sorted,
  'unique/0': (input, run) => {
    const all = sorted(input, run)
    return all.filter((item, i) => i === 0 || compareValues(all[i - 1] ?? null, item, run.budget) !== 0)
  },
  'reverse/0': (input, run) => [...listIn(input, run)].reverse(),
  'flatten/0': (input, run) => flattened(elementsOf(input, run.budget), MAX_RANGE, run),
  'flatten/1': (input, run, depth = null) => {
    if (!isNumber(depth) || depth < 0) throw new JqError(`flatten depth must not be negative: ${described(depth, run.budget)}`)
    return flattened(elementsOf(input, run.budget), Number(depth), run)
  },
  'to_entries/0': entriesOf,
  'from_entries/0': (input, run) => fromEntries(elementsOf(input, run.budget), run),
  'getpath/1': (input, run, path = null) => valueAt(input, path, run),
}

/** Functions with a result for each of several values. */
export const RANGE_FUNCTIONS: Readonly<Record<string, (input: JqValue, run: JqRun, ...args: JqValue[]) => readonly JqValue[]>> = {
  'range/1': (_input, run, to = null) => range(0n, to, run),
  'range/2': (_input, run, from = null, to = null) => range(from, to, run),
}
