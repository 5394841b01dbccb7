import { parseDeclarations } from '../declarations.ts'

/**
 * Lists as sets (cel-go's extension, since 1.29): `sets.contains(['a', 'b'], self.names)`. Order and repetitions are
 * ignored. Elements are compared pairwise, so the cost is the product of both sizes. Source: cel-go, ext/sets.go.
 */
export const SETS = parseDeclarations(`
  list_sets_contains_list: sets.contains(list(T), list(T)) -> bool
  list_sets_equivalent_list: sets.equivalent(list(T), list(T)) -> bool
  list_sets_intersects_list: sets.intersects(list(T), list(T)) -> bool
`)
