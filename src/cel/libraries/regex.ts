import { declare } from '../declarations.ts'

/**
 * Finding what a regular expression of RE2 matches: `'abc 123'.find('[0-9]+')`. What matches nowhere is an empty text or
 * list, no error. `matches` is a standard function, since every environment has it.
 * Source: kubernetes/apiserver, pkg/cel/library/regex.go.
 */
export const REGEX = declare(`
  string_find_string: .find(string, string) -> string
  string_find_all_string: .findAll(string, string) -> list(string)
  string_find_all_string_int: .findAll(string, string, int) -> list(string)
`)
