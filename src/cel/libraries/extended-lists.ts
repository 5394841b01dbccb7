import { declare } from '../declarations.ts'

/** Types of elements that can be sorted, as names of signatures have them, and as declarations do. */
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
 * Parts, order and elements of lists (cel-go's extension, since 1.34): `self.names.sort()`, `self.names.distinct()`, `lists.range(3)`.
 * `list.sortBy(e, e.rank)` becomes a call of `@sortByAssociatedKeys`; the at sign keeps programs from calling it.
 * Source: cel-go, ext/lists.go.
 */
export const EXTENDED_LISTS = declare(`
  list_slice: .slice(list(T), int, int) -> list(T)
  list_flatten: .flatten(list(list(T))) -> list(T)
  list_flatten_int: .flatten(list(dyn), int) -> list(dyn)
  ${forSorted((name, type) => `list_${name}_sort: .sort(list(${type})) -> list(${type})`)}
  ${forSorted((name, type) => `list_${name}_sortByAssociatedKeys: .@sortByAssociatedKeys(list(T), list(${type})) -> list(T)`)}
  lists_range: lists.range(int) -> list(int)
  list_reverse: .reverse(list(T)) -> list(T)
  list_distinct: .distinct(list(T)) -> list(T)
`)

/** Names of the signatures of one of these functions. */
export const signaturesOf = (name: string): string[] => EXTENDED_LISTS.find(declaration => declaration.name === name)?.overloads.map(({ id }) => id) ?? []
