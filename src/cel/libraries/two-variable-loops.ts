import { parseDeclarations } from '../declarations.ts'

/**
 * Functions that `transformMap` and `transformMapEntry` expand to (since 1.32): `self.m.transformMap(k, v, v + 1)` is a
 * loop whose step inserts an entry. Because of the at sign, expressions cannot call them directly. Source: cel-go,
 * ext/comprehensions.go.
 */
export const TWO_VARIABLE_LOOPS = parseDeclarations(`
  @mapInsert_map_key_value: cel.@mapInsert(map(K, V), K, V) -> map(K, V)
  @mapInsert_map_map: cel.@mapInsert(map(K, V), map(K, V)) -> map(K, V)
`)
