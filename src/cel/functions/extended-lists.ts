import { compareValues, typeEquals } from '../values/compare.ts'
import { FlattenedList, listOfValues, RangeList } from '../values/list.ts'
import { printValue } from '../values/print.ts'
import { CelError, CelList, type Int, typeNameOf, type Value } from '../values/value.ts'
import { spendWork } from '../work.ts'
import type { Implementations } from './implementation.ts'

function valuesOf(list: CelList): Value[] {
  spendWork(list.size)
  return Array.from({ length: list.size }, (_, i) => list.at(i))
}

function slice(list: CelList, start: Int, end: Int): Value {
  const call = `cannot slice(${printValue(start)}, ${printValue(end)})`
  if (start < 0 || end < 0) return new CelError(`${call}, negative indexes not supported`)
  if (start > end) return new CelError(`${call}, start index must be less than or equal to end index`)
  if (list.size < end) return new CelError(`${call}, list is length ${list.size}`)
  spendWork(Number(end) - Number(start))
  return listOfValues(Array.from({ length: Number(end) - Number(start) }, (_, i) => list.at(Number(start) + i)))
}

/** Elements that one call looks at, at most: nested lists that are one and the same take no room until they are flattened. */
const MOST_FLATTENED = 1_000_000

/** The elements of lists in the list, `depth` levels down. The argument may be of any type, as upstream's signature is not checked when it runs. */
function flatten(list: Value, depth: Int = 1): Value {
  if (!(list instanceof CelList)) return new CelError(`no such overload: ${typeNameOf(list)}.flatten()`)
  if (depth < 0) return new CelError('level must be non-negative')
  const flat: Value[] = []
  let visited = 0
  // The lists that are being gone through, from the outermost inward. No recursion: a document may be nested more deeply than the stack is.
  const open = [{ list, at: 0 }]
  for (let inner = open.at(-1); inner; inner = open.at(-1)) {
    if (inner.at === inner.list.size) {
      open.pop()
      continue
    }
    if (++visited > MOST_FLATTENED) return new CelError(`flatten() takes at most ${MOST_FLATTENED} elements`)
    const value = inner.list.at(inner.at++)
    if (value instanceof CelList && open.length <= depth) open.push({ list: value, at: 0 })
    else flat.push(value)
  }
  return new FlattenedList(flat, visited)
}

/** `sort` and `sortBy`: elements in the order of their keys; those of equal keys stay in theirs. */
export function sortByKeys(list: CelList, keys: CelList): Value {
  if (list.size !== keys.size) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    )
  }
  if (list.size === 0) return list
  const places = valuesOf(keys).map((key, i) => ({ key, i }))
  const type = typeNameOf(keys.at(0))
  if (compareValues(keys.at(0), keys.at(0)) === undefined) return new CelError('list elements must be comparable')
  if (places.some(({ key }) => typeNameOf(key) !== type)) return new CelError('list elements must have the same type')
  places.sort((a, b) => {
    const order = compareValues(a.key, b.key)
    return typeof order === 'number' ? order : 0
  })
  return listOfValues(places.map(({ i }) => list.at(i)))
}

/** The first of each elements that are equal. */
function distinct(list: CelList): Value {
  const kept: Value[] = []
  for (const value of valuesOf(list)) {
    if (!kept.some(other => typeEquals(value, other) === true)) kept.push(value)
  }
  return listOfValues(kept)
}

/** Sorting is in singletons.ts. Source: cel-go, ext/lists.go. */
export const EXTENDED_LIST_FUNCTIONS: Implementations = {
  list_slice: slice,
  list_flatten: (list: Value) => flatten(list),
  list_flatten_int: flatten,
  lists_range: (size: Int) => new RangeList(Math.max(0, Number(size))),
  list_reverse: (list: CelList) => listOfValues(valuesOf(list).reverse()),
  list_distinct: distinct,
}
