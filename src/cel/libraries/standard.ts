import { type FunctionDeclaration, parseDeclarations } from '../declarations.ts'

/**
 * Functions and operators of every environment (cel-spec, "List of Standard Definitions"). The signatures of a name are
 * in cel-go's order, in which the checker tries them and errors list them. Names with an at sign or underscores are
 * operators, which expressions cannot call. Comparisons between int, uint and double are declared, arithmetic between
 * them is not. `type`, `dyn` and the conversions of a type to itself are ordinary functions.
 */
export const STANDARD = parseDeclarations(`
  logical_not: !_(bool) -> bool
  negate_double: -_(double) -> double
  negate_int64: -_(int) -> int
  in_list: @in(A, list(A)) -> bool
  in_map: @in(A, map(A, B)) -> bool
  not_strictly_false: @not_strictly_false(bool) -> bool
  not_equals: _!=_(A, A) -> bool
  modulo_int64: _%_(int, int) -> int
  modulo_uint64: _%_(uint, uint) -> uint
  logical_and: _&&_(bool, bool) -> bool
  multiply_double: _*_(double, double) -> double
  multiply_int64: _*_(int, int) -> int
  multiply_uint64: _*_(uint, uint) -> uint
  add_bytes: _+_(bytes, bytes) -> bytes
  add_double: _+_(double, double) -> double
  add_duration_duration: _+_(duration, duration) -> duration
  add_duration_timestamp: _+_(duration, timestamp) -> timestamp
  add_timestamp_duration: _+_(timestamp, duration) -> timestamp
  add_int64: _+_(int, int) -> int
  add_list: _+_(list(A), list(A)) -> list(A)
  add_string: _+_(string, string) -> string
  add_uint64: _+_(uint, uint) -> uint
  subtract_double: _-_(double, double) -> double
  subtract_duration_duration: _-_(duration, duration) -> duration
  subtract_int64: _-_(int, int) -> int
  subtract_timestamp_duration: _-_(timestamp, duration) -> timestamp
  subtract_timestamp_timestamp: _-_(timestamp, timestamp) -> duration
  subtract_uint64: _-_(uint, uint) -> uint
  divide_double: _/_(double, double) -> double
  divide_int64: _/_(int, int) -> int
  divide_uint64: _/_(uint, uint) -> uint
  less_equals_bool: _<=_(bool, bool) -> bool
  less_equals_int64: _<=_(int, int) -> bool
  less_equals_int64_double: _<=_(int, double) -> bool
  less_equals_int64_uint64: _<=_(int, uint) -> bool
  less_equals_uint64: _<=_(uint, uint) -> bool
  less_equals_uint64_double: _<=_(uint, double) -> bool
  less_equals_uint64_int64: _<=_(uint, int) -> bool
  less_equals_double: _<=_(double, double) -> bool
  less_equals_double_int64: _<=_(double, int) -> bool
  less_equals_double_uint64: _<=_(double, uint) -> bool
  less_equals_string: _<=_(string, string) -> bool
  less_equals_bytes: _<=_(bytes, bytes) -> bool
  less_equals_timestamp: _<=_(timestamp, timestamp) -> bool
  less_equals_duration: _<=_(duration, duration) -> bool
  less_bool: _<_(bool, bool) -> bool
  less_int64: _<_(int, int) -> bool
  less_int64_double: _<_(int, double) -> bool
  less_int64_uint64: _<_(int, uint) -> bool
  less_uint64: _<_(uint, uint) -> bool
  less_uint64_double: _<_(uint, double) -> bool
  less_uint64_int64: _<_(uint, int) -> bool
  less_double: _<_(double, double) -> bool
  less_double_int64: _<_(double, int) -> bool
  less_double_uint64: _<_(double, uint) -> bool
  less_string: _<_(string, string) -> bool
  less_bytes: _<_(bytes, bytes) -> bool
  less_timestamp: _<_(timestamp, timestamp) -> bool
  less_duration: _<_(duration, duration) -> bool
  equals: _==_(A, A) -> bool
  greater_equals_bool: _>=_(bool, bool) -> bool
  greater_equals_int64: _>=_(int, int) -> bool
  greater_equals_int64_double: _>=_(int, double) -> bool
  greater_equals_int64_uint64: _>=_(int, uint) -> bool
  greater_equals_uint64: _>=_(uint, uint) -> bool
  greater_equals_uint64_double: _>=_(uint, double) -> bool
  greater_equals_uint64_int64: _>=_(uint, int) -> bool
  greater_equals_double: _>=_(double, double) -> bool
  greater_equals_double_int64: _>=_(double, int) -> bool
  greater_equals_double_uint64: _>=_(double, uint) -> bool
  greater_equals_string: _>=_(string, string) -> bool
  greater_equals_bytes: _>=_(bytes, bytes) -> bool
  greater_equals_timestamp: _>=_(timestamp, timestamp) -> bool
  greater_equals_duration: _>=_(duration, duration) -> bool
  greater_bool: _>_(bool, bool) -> bool
  greater_int64: _>_(int, int) -> bool
  greater_int64_double: _>_(int, double) -> bool
  greater_int64_uint64: _>_(int, uint) -> bool
  greater_uint64: _>_(uint, uint) -> bool
  greater_uint64_double: _>_(uint, double) -> bool
  greater_uint64_int64: _>_(uint, int) -> bool
  greater_double: _>_(double, double) -> bool
  greater_double_int64: _>_(double, int) -> bool
  greater_double_uint64: _>_(double, uint) -> bool
  greater_string: _>_(string, string) -> bool
  greater_bytes: _>_(bytes, bytes) -> bool
  greater_timestamp: _>_(timestamp, timestamp) -> bool
  greater_duration: _>_(duration, duration) -> bool
  conditional: _?_:_(bool, A, A) -> A
  index_list: _[_](list(A), int) -> A
  index_map: _[_](map(A, B), A) -> B
  __not_strictly_false__: __not_strictly_false__(bool) -> bool
  in_list: _in_(A, list(A)) -> bool
  in_map: _in_(A, map(A, B)) -> bool
  logical_or: _||_(bool, bool) -> bool
  bool_to_bool: bool(bool) -> bool
  string_to_bool: bool(string) -> bool
  bytes_to_bytes: bytes(bytes) -> bytes
  string_to_bytes: bytes(string) -> bytes
  contains_string: .contains(string, string) -> bool
  double_to_double: double(double) -> double
  int64_to_double: double(int) -> double
  string_to_double: double(string) -> double
  uint64_to_double: double(uint) -> double
  duration_to_duration: duration(duration) -> duration
  int64_to_duration: duration(int) -> duration
  string_to_duration: duration(string) -> duration
  to_dyn: dyn(A) -> dyn
  ends_with_string: .endsWith(string, string) -> bool
  timestamp_to_day_of_month_1_based: .getDate(timestamp) -> int
  timestamp_to_day_of_month_1_based_with_tz: .getDate(timestamp, string) -> int
  timestamp_to_day_of_month: .getDayOfMonth(timestamp) -> int
  timestamp_to_day_of_month_with_tz: .getDayOfMonth(timestamp, string) -> int
  timestamp_to_day_of_week: .getDayOfWeek(timestamp) -> int
  timestamp_to_day_of_week_with_tz: .getDayOfWeek(timestamp, string) -> int
  timestamp_to_day_of_year: .getDayOfYear(timestamp) -> int
  timestamp_to_day_of_year_with_tz: .getDayOfYear(timestamp, string) -> int
  timestamp_to_year: .getFullYear(timestamp) -> int
  timestamp_to_year_with_tz: .getFullYear(timestamp, string) -> int
  timestamp_to_hours: .getHours(timestamp) -> int
  timestamp_to_hours_with_tz: .getHours(timestamp, string) -> int
  duration_to_hours: .getHours(duration) -> int
  timestamp_to_milliseconds: .getMilliseconds(timestamp) -> int
  timestamp_to_milliseconds_with_tz: .getMilliseconds(timestamp, string) -> int
  duration_to_milliseconds: .getMilliseconds(duration) -> int
  timestamp_to_minutes: .getMinutes(timestamp) -> int
  timestamp_to_minutes_with_tz: .getMinutes(timestamp, string) -> int
  duration_to_minutes: .getMinutes(duration) -> int
  timestamp_to_month: .getMonth(timestamp) -> int
  timestamp_to_month_with_tz: .getMonth(timestamp, string) -> int
  timestamp_to_seconds: .getSeconds(timestamp) -> int
  timestamp_to_seconds_tz: .getSeconds(timestamp, string) -> int
  duration_to_seconds: .getSeconds(duration) -> int
  in_list: in(A, list(A)) -> bool
  in_map: in(A, map(A, B)) -> bool
  int64_to_int64: int(int) -> int
  double_to_int64: int(double) -> int
  duration_to_int64: int(duration) -> int
  string_to_int64: int(string) -> int
  timestamp_to_int64: int(timestamp) -> int
  uint64_to_int64: int(uint) -> int
  matches: matches(string, string) -> bool
  matches_string: .matches(string, string) -> bool
  size_bytes: size(bytes) -> int
  bytes_size: .size(bytes) -> int
  size_list: size(list(A)) -> int
  list_size: .size(list(A)) -> int
  size_map: size(map(A, B)) -> int
  map_size: .size(map(A, B)) -> int
  size_string: size(string) -> int
  string_size: .size(string) -> int
  starts_with_string: .startsWith(string, string) -> bool
  string_to_string: string(string) -> string
  bool_to_string: string(bool) -> string
  bytes_to_string: string(bytes) -> string
  double_to_string: string(double) -> string
  duration_to_string: string(duration) -> string
  int64_to_string: string(int) -> string
  timestamp_to_string: string(timestamp) -> string
  uint64_to_string: string(uint) -> string
  timestamp_to_timestamp: timestamp(timestamp) -> timestamp
  int64_to_timestamp: timestamp(int) -> timestamp
  string_to_timestamp: timestamp(string) -> timestamp
  type: type(A) -> type(A)
  uint64_to_uint64: uint(uint) -> uint
  double_to_uint64: uint(double) -> uint
  int64_to_uint64: uint(int) -> uint
  string_to_uint64: uint(string) -> uint
`)

const CROSS_TYPE = /^(?:less|greater)(?:_equals)?_(?:int64_(?:double|uint64)|uint64_(?:double|int64)|double_(?:int64|uint64))$/

/** Standard functions before 1.28, when int, uint and double were comparable only with their own type. */
export const STANDARD_WITHOUT_CROSS_TYPES: readonly FunctionDeclaration[] = STANDARD.map(({ name, overloads }) => ({
  name,
  overloads: overloads.filter(({ id }) => !CROSS_TYPE.test(id)),
}))
