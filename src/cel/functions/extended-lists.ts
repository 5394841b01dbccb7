import { isStepDone, runAtOnce, type Steps } from '../../lib/steps.ts'
import { longCall } from '../long-work.ts'
import { compareValues, isComparing, runComparison, typeEquals } from '../values/compare.ts'
import { FlattenedList, listOfValues, RangeList } from '../values/list.ts'
import { printValue } from '../values/print.ts'
import { CelError, CelList, type Comparing, type Int, typeNameOf, type Value } from '../values/value.ts'
import { spendWork } from '../work.ts'
import type { Implementations } from './implementation.ts'

/** Copies elements in steps. */
function* listValues(list: CelList, start = 0, end = list.size): Steps<Value[]> {
  spendWork(end - start)
  const values: Value[] = []
  for (let i = start; i < end; i++) {
    values.push(list.at(i))
    if (isStepDone()) yield
  }
  return values
}

function* sliceInSteps(list: CelList, start: number, end: number): Steps<Value> {
  return listOfValues(yield* listValues(list, start, end))
}

function* reversed(list: CelList): Steps<Value> {
  return listOfValues((yield* listValues(list)).reverse())
}

function slice(list: CelList, start: Int, end: Int): Value {
  const call = `cannot slice(${printValue(start)}, ${printValue(end)})`
  if (start < 0 || end < 0) return new CelError(`${call}, negative indexes not supported`)
  if (start > end) return new CelError(`${call}, start index must be less than or equal to end index`)
  if (list.size < end) return new CelError(`${call}, list is length ${list.size}`)
  return longCall(() => sliceInSteps(list, Number(start), Number(end)))
}

/**
 * Limit for the elements that one call of `flatten` visits. A list that contains the same nested list many times takes
 * no memory until it is flattened.
 */
const MOST_FLATTENED = 1_000_000

/**
 * Flattens nested lists to a depth. The argument may have any type, because upstream does not check this signature at
 * run time.
 */
function flatten(list: Value, depth: Int = 1): Value {
  if (!(list instanceof CelList)) return new CelError(`no such overload: ${typeNameOf(list)}.flatten()`)
  return depth < 0 ? new CelError('level must be non-negative') : longCall(() => flattenInSteps(list, depth))
}

function* flattenInSteps(list: CelList, depth: Int): Steps<Value> {
  const flat: Value[] = []
  let visited = 0
  // Stack of the lists that are being read, outermost first. Not recursive, because a document can be nested more
  // deeply than the call stack allows.
  const open = [{ list, at: 0 }]
  for (let inner = open.at(-1); inner; inner = open.at(-1)) {
    if (inner.at === inner.list.size) {
      open.pop()
      continue
    }
    if (isStepDone()) yield
    if (++visited > MOST_FLATTENED) return new CelError(`flatten() takes at most ${MOST_FLATTENED} elements`)
    const value = inner.list.at(inner.at++)
    if (value instanceof CelList && open.length <= depth) open.push({ list: value, at: 0 })
    else flat.push(value)
  }
  return new FlattenedList(flat, visited)
}

/** Implements `sort` and `sortBy`: a stable sort of the elements by their keys. */
export function sortByKeys(list: CelList, keys: CelList): Value {
  if (list.size !== keys.size) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    )
  }
  if (list.size === 0) return list
  // At most a few hundred, because the call is charged by their square.
  const places = runAtOnce(listValues(keys)).map((key, i) => ({ key, i }))
  const type = typeNameOf(keys.at(0))
  if (compareValues(keys.at(0), keys.at(0)) === undefined) return new CelError('list elements must be comparable')
  if (places.some(({ key }) => typeNameOf(key) !== type)) return new CelError('list elements must have the same type')
  places.sort((a, b) => {
    const order = compareValues(a.key, b.key)
    return typeof order === 'number' ? order : 0
  })
  return listOfValues(places.map(({ i }) => list.at(i)))
}

/** Removes duplicates. The first of equal elements is kept. */
function* distinct(list: CelList): Comparing<Value> {
  const kept: Value[] = []
  for (const value of yield* listValues(list)) {
    if (!(yield anyEquals(value, kept))) kept.push(value)
  }
  return listOfValues(kept)
}

function* anyEquals(value: Value, others: readonly Value[]): Comparing<boolean> {
  for (const other of others) {
    const equal = typeEquals(value, other)
    if ((isComparing(equal) ? yield equal : equal) === true) return true
    if (isStepDone()) yield
  }
  return false
}

/** Functions of lists except sorting, which is in singletons.ts. Source: cel-go, ext/lists.go. */
export const EXTENDED_LIST_FUNCTIONS: Implementations = {
  list_slice: slice,
  list_flatten: (list: Value) => flatten(list),
  list_flatten_int: flatten,
  lists_range: (size: Int) => new RangeList(Math.max(0, Number(size))),
  list_reverse: (list: CelList) => longCall(() => reversed(list)),
  list_distinct: (list: CelList) => runComparison(distinct(list)),
}
