import { parseDeclarations } from '../declarations.ts'

/** Element types that can be sorted: their name in signatures, and in declarations. */
const SORTED = {
  int: 'int',
  uint: 'uint',
  double: 'double',
  bool: 'bool',
  'google.protobuf.Duration': 'duration',
  'google.protobuf.Timestamp': 'timestamp',
  string: 'string',
  bytes: 'bytes',
}

const forSorted = (line: (name: string, type: string) => string): string =>
  Object.entries(SORTED)
    .map(([name, type]) => line(name, type))
    .join('\n')

/**
 * Slices, order and elements of lists (cel-go's extension, since 1.34): `self.names.sort()`, `self.names.distinct()`,
 * `lists.range(3)`. `list.sortBy(e, e.rank)` expands to a call of `@sortByAssociatedKeys`. Because of the at sign,
 * expressions cannot call it directly. Source: cel-go, ext/lists.go.
 */
export const EXTENDED_LISTS = parseDeclarations(`
  list_slice: .slice(list(T), int, int) -> list(T)
  list_flatten: .flatten(list(list(T))) -> list(T)
  list_flatten_int: .flatten(list(dyn), int) -> list(dyn)
  ${forSorted((name, type) => `list_${name}_sort: .sort(list(${type})) -> list(${type})`)}
  ${forSorted((name, type) => `list_${name}_sortByAssociatedKeys: .@sortByAssociatedKeys(list(T), list(${type})) -> list(T)`)}
  lists_range: lists.range(int) -> list(int)
  list_reverse: .reverse(list(T)) -> list(T)
  list_distinct: .distinct(list(T)) -> list(T)
`)

/** Returns the signatures of one of these functions. */
export const signaturesOf = (name: string): string[] =>
  EXTENDED_LISTS.find(declaration => declaration.name === name)?.overloads.map(({ id }) => id) ?? []
