import { parseDeclarations } from '../declarations.ts'

/**
 * Values that may be absent (since 1.28): `self.?spec.?replicas.orValue(1)` does not fail if a member is missing. `[?]`
 * selects elements and entries in this way, and `[?a]` and `{?'k': v}` omit absent values. `or` and `orValue` are lazy,
 * and therefore implemented by the planner (program/planner.ts). Source: cel-go, cel/library.go.
 */
export const OPTIONALS = parseDeclarations(`
  select_optional_field: _?._(dyn, string) -> optional_type(V)
  list_optindex_optional_int: _[?_](list(V), int) -> optional_type(V)
  optional_list_optindex_optional_int: _[?_](optional_type(list(V)), int) -> optional_type(V)
  map_optindex_optional_value: _[?_](map(K, V), K) -> optional_type(V)
  optional_map_optindex_optional_value: _[?_](optional_type(map(K, V)), K) -> optional_type(V)
  optional_list_index_int: _[_](optional_type(list(V)), int) -> optional_type(V)
  optional_map_index_value: _[_](optional_type(map(K, V)), K) -> optional_type(V)
  list_first: .first(list(V)) -> optional_type(V)
  optional_hasValue: .hasValue(optional_type(V)) -> bool
  list_last: .last(list(V)) -> optional_type(V)
  optional_none: optional.none() -> optional_type(V)
  optional_of: optional.of(V) -> optional_type(V)
  optional_ofNonZeroValue: optional.ofNonZeroValue(V) -> optional_type(V)
  optional_unwrap: optional.unwrap(list(optional_type(V))) -> list(V)
  optional_or_optional: .or(optional_type(V), optional_type(V)) -> optional_type(V)
  optional_orValue_value: .orValue(optional_type(V), V) -> V
  optional_unwrapOpt: .unwrapOpt(list(optional_type(V))) -> list(V)
  optional_value: .value(optional_type(V)) -> V
`)
