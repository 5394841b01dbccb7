import { parseDeclarations } from '../declarations.ts'

/**
 * Characters, case, parts and formats of strings (cel-go's extension, version 2; since 1.29):
 * `self.name.substring(0, 3).upperAscii()`, `'%d of %s'.format([1, 'a'])`. Indexes are in code points, as in `size`,
 * not in UTF-16 units. Source: cel-go, ext/strings.go.
 */
export const STRINGS = parseDeclarations(`
  string_char_at_int: .charAt(string, int) -> string
  string_format: .format(string, list(dyn)) -> string
  string_index_of_string: .indexOf(string, string) -> int
  string_index_of_string_int: .indexOf(string, string, int) -> int
  list_join: .join(list(string)) -> string
  list_join_string: .join(list(string), string) -> string
  string_last_index_of_string: .lastIndexOf(string, string) -> int
  string_last_index_of_string_int: .lastIndexOf(string, string, int) -> int
  string_lower_ascii: .lowerAscii(string) -> string
  string_replace_string_string: .replace(string, string, string) -> string
  string_replace_string_string_int: .replace(string, string, string, int) -> string
  string_split_string: .split(string, string) -> list(string)
  string_split_string_int: .split(string, string, int) -> list(string)
  strings_quote: strings.quote(string) -> string
  string_substring_int: .substring(string, int) -> string
  string_substring_int_int: .substring(string, int, int) -> string
  string_trim: .trim(string) -> string
  string_upper_ascii: .upperAscii(string) -> string
`)

/** Version 0 of the extension, before 1.29, without `format` and `strings.quote`. */
export const OLD_STRINGS = STRINGS.filter(({ name }) => name !== 'format' && name !== 'strings.quote')
