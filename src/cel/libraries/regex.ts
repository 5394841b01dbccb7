import { parseDeclarations } from '../declarations.ts'

/**
 * Matches of an RE2 regular expression: `'abc 123'.find('[0-9]+')`. Without a match the result is an empty text or
 * list, not an error. `matches` is a standard function. Source: kubernetes/apiserver, pkg/cel/library/regex.go.
 */
export const REGEX = parseDeclarations(`
  string_find_string: .find(string, string) -> string
  string_find_all_string: .findAll(string, string) -> list(string)
  string_find_all_string_int: .findAll(string, string, int) -> list(string)
`)
