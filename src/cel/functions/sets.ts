import type { CelList, Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'

function contains(list: CelList, part: CelList): Value {
  for (let i = 0; i < part.size; i++) {
    const found = list.contains(part.at(i))
    if (found !== true) return found
  }
  return true
}

function intersects(a: CelList, b: CelList): Value {
  for (let i = 0; i < a.size; i++) {
    if (b.contains(a.at(i)) === true) return true
  }
  return false
}

function equivalent(a: CelList, b: CelList): Value {
  const found = contains(a, b)
  return found === true ? contains(b, a) : found
}

export const SET_FUNCTIONS: Implementations = {
  list_sets_contains_list: contains,
  list_sets_equivalent_list: equivalent,
  list_sets_intersects_list: intersects,
}
