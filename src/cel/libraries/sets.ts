import { declare } from '../declarations.ts'

/**
 * Lists as sets (cel-go's extension, since 1.29): `sets.contains(['a', 'b'], self.names)`. Order does not count, nor how
 * often an element stands there.
 * Elements are compared one by one, so the cost is the product of both sizes.
 * Source: cel-go, ext/sets.go.
 */
export const SETS = declare(`
  list_sets_contains_list: sets.contains(list(T), list(T)) -> bool
  list_sets_equivalent_list: sets.equivalent(list(T), list(T)) -> bool
  list_sets_intersects_list: sets.intersects(list(T), list(T)) -> bool
`)
