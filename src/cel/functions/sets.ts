import type { CelList, Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'

/** Reports whether a list contains every element of `part`. Stops at the first missing element or error. */
function contains(list: CelList, part: CelList): Value {
  for (let i = 0; i < part.size; i++) {
    const found = list.contains(part.at(i))
    if (found !== true) return found
  }
  return true
}

/** Reports whether two lists share an element. Errors of comparisons are ignored. */
function intersects(a: CelList, b: CelList): Value {
  for (let i = 0; i < a.size; i++) {
    if (b.contains(a.at(i)) === true) return true
  }
  return false
}

/** Reports whether each list contains the other. */
function equivalent(a: CelList, b: CelList): Value {
  const found = contains(a, b)
  return found === true ? contains(b, a) : found
}

/** Functions of sets. Source: cel-go, ext/sets.go. */
export const SET_FUNCTIONS: Implementations = {
  list_sets_contains_list: contains,
  list_sets_equivalent_list: equivalent,
  list_sets_intersects_list: intersects,
}
