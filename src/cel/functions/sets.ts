import type { CelList, Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'

/** False or an error at the first element that is not there. */
function contains(list: CelList, part: CelList): Value {
  for (let i = 0; i < part.size; i++) {
    const found = list.contains(part.at(i))
    if (found !== true) return found
  }
  return true
}

/** Errors of comparisons don't count: elements of types that do not compare are not shared. */
function intersects(a: CelList, b: CelList): Value {
  for (let i = 0; i < a.size; i++) {
    if (b.contains(a.at(i)) === true) return true
  }
  return false
}

/** Each is in the other. */
function equivalent(a: CelList, b: CelList): Value {
  const found = contains(a, b)
  return found === true ? contains(b, a) : found
}

/** Source: cel-go, ext/sets.go. */
export const SET_FUNCTIONS: Implementations = {
  list_sets_contains_list: contains,
  list_sets_equivalent_list: equivalent,
  list_sets_intersects_list: intersects,
}
