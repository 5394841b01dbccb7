import { declare } from '../declarations.ts'

/** What loops of two variables that make a map become. */
export const TWO_VARIABLE_LOOPS = declare(`
  @mapInsert_map_key_value: cel.@mapInsert(map(K, V), K, V) -> map(K, V)
  @mapInsert_map_map: cel.@mapInsert(map(K, V), map(K, V)) -> map(K, V)
`)
