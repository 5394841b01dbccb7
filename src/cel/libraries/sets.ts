import { declare } from '../declarations.ts'

/** Lists as sets (cel-go's extension). */
export const SETS = declare(`
  list_sets_contains_list: sets.contains(list(T), list(T)) -> bool
  list_sets_equivalent_list: sets.equivalent(list(T), list(T)) -> bool
  list_sets_intersects_list: sets.intersects(list(T), list(T)) -> bool
`)
