import { runComparison } from '../values/compare.ts'
import type { CelList, Comparing, Equality } from '../values/value.ts'
import type { Implementations } from './implementation.ts'

/** Reports whether a list contains every element of `part`. Stops at the first missing element or error. */
function* contains(list: CelList, part: CelList): Comparing<Equality> {
  for (let i = 0; i < part.size; i++) {
    const found = yield list.contains(part.at(i))
    if (found !== true) return found
  }
  return true
}

/** Reports whether two lists share an element. Errors of comparisons are ignored. */
function* intersects(a: CelList, b: CelList): Comparing<Equality> {
  for (let i = 0; i < a.size; i++) {
    if ((yield b.contains(a.at(i))) === true) return true
  }
  return false
}

/** Reports whether each list contains the other. */
function* equivalent(a: CelList, b: CelList): Comparing<Equality> {
  const found = yield contains(a, b)
  return found === true ? yield contains(b, a) : found
}

const inSteps =
  (compare: (a: CelList, b: CelList) => Comparing<Equality>) =>
  (a: CelList, b: CelList): Equality =>
    runComparison(compare(a, b))

/** Functions of sets. Source: cel-go, ext/sets.go. */
export const SET_FUNCTIONS: Implementations = {
  list_sets_contains_list: inSteps(contains),
  list_sets_equivalent_list: inSteps(equivalent),
  list_sets_intersects_list: inSteps(intersects),
}
