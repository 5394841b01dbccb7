import { isStepDone } from '../../lib/steps.ts'
import { compareValues, equalityOf, isComparing, runComparison, typeEquals } from '../values/compare.ts'
import { CelDouble, CelDuration, CelError, CelList, CelUint, type Comparing, isError, noSuchOverload, type Value } from '../values/value.ts'
import { spendWork } from '../work.ts'
import { add } from './arithmetic.ts'
import type { Implementations } from './implementation.ts'

/** Reports whether a list is in ascending order. Equal neighbors are allowed. */
function isSorted(list: CelList): Value {
  spendWork(list.size)
  for (let i = 0; i < list.size; i++) {
    const order = compareValues(list.at(Math.max(0, i - 1)), list.at(i))
    if (order === undefined) return noSuchOverload(list.at(i))
    if (typeof order === 'number' && order > 0) return false
  }
  return true
}

/**
 * Makes a sum.
 * @param zero the sum of an empty list, which has no element to determine its type.
 */
const sumFrom =
  (zero: Value) =>
  (list: CelList): Value => {
    spendWork(list.size)
    let sum = zero
    for (let i = 0; i < list.size; i++) {
      sum = add(sum, list.at(i)) ?? noSuchOverload(list.at(i))
      if (isError(sum)) return sum
    }
    return sum
  }

/**
 * Makes `min` or `max`.
 * @param sign result of the comparison for which the next element is preferred.
 */
const extreme =
  (name: string, sign: number) =>
  (list: CelList): Value => {
    if (list.size === 0) return new CelError(`${name} called on empty list`)
    spendWork(list.size)
    let best = list.at(0)
    for (let i = 0; i < list.size; i++) {
      const order = compareValues(best, list.at(i))
      if (order === undefined) return noSuchOverload(list.at(i))
      if (order === sign) best = list.at(i)
    }
    return best
  }

/** Returns the index of the first equal element, or -1. Elements of other types are unequal, not errors. */
const indexOf = (list: CelList, value: Value): Value => searched(list, value, 0, 1)

const lastIndexOf = (list: CelList, value: Value): Value => searched(list, value, list.size - 1, -1)

const searched = (list: CelList, value: Value, first: number, by: number): number => runComparison(search(list, value, first, by))

function* search(list: CelList, value: Value, first: number, by: number): Comparing<number> {
  spendWork(list.size)
  for (let i = first; i >= 0 && i < list.size; i += by) {
    const equal = typeEquals(list.at(i), value)
    if ((isComparing(equal) ? yield equal : equal) === true) return i
    if (isStepDone()) yield
  }
  return -1
}

/**
 * Reports whether a list has an element, or the value itself equals another. Values that cannot be compared are
 * unequal.
 */
function includes(target: Value, value: Value): Value {
  if (target instanceof CelList) return indexOf(target, value) !== -1
  spendWork(1)
  return equalityOf(typeEquals(target, value)) === true
}

/** Element types that have an order. */
const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']
/** Zeros of the element types that can be summed. */
const ZEROS = { int: 0, uint: new CelUint(0n), double: new CelDouble(0), duration: new CelDuration(0n) } as const

/** Registers an implementation for the signature of each type. */
const forEach = (
  types: readonly string[],
  id: (type: string) => string,
  implementation: (type: string) => (list: CelList) => Value,
): Implementations => Object.fromEntries(types.map(type => [id(type), implementation(type)]))

/** Functions of lists. Source: kubernetes/apiserver, pkg/cel/library/lists.go. */
export const LIST_FUNCTIONS: Implementations = {
  ...forEach(
    COMPARABLE,
    type => `list_${type}_is_sorted_bool`,
    () => isSorted,
  ),
  ...forEach(
    COMPARABLE,
    type => `list_${type}_max_${type}`,
    () => extreme('max', -1),
  ),
  ...forEach(
    COMPARABLE,
    type => `list_${type}_min_${type}`,
    () => extreme('min', 1),
  ),
  ...Object.fromEntries(Object.entries(ZEROS).map(([type, zero]) => [`list_${type}_sum_${type}`, sumFrom(zero)])),
  list_a_index_of_int: indexOf,
  list_a_last_index_of_int: lastIndexOf,
  list_includes_dyn_dyn: includes,
}
