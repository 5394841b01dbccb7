import { declare } from '../declarations.ts'

/** Finding what a regular expression matches. */
export const REGEX = declare(`
  string_find_string: .find(string, string) -> string
  string_find_all_string: .findAll(string, string) -> list(string)
  string_find_all_string_int: .findAll(string, string, int) -> list(string)
`)
