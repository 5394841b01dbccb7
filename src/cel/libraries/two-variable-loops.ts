import { declare } from '../declarations.ts'

/**
 * What loops of two variables that make a map become (since 1.32): `self.m.transformMap(k, v, v + 1)` is a loop whose step
 * inserts an entry. The at sign keeps programs from calling them.
 * Source: cel-go, ext/comprehensions.go.
 */
export const TWO_VARIABLE_LOOPS = declare(`
  @mapInsert_map_key_value: cel.@mapInsert(map(K, V), K, V) -> map(K, V)
  @mapInsert_map_map: cel.@mapInsert(map(K, V), map(K, V)) -> map(K, V)
`)
