import { parseDeclarations } from '../declarations.ts'

/**
 * Sums, extremes, order and indexes of lists: `self.weights.sum() <= 100`. `min` and `max` of an empty list are errors.
 * The sum of an empty list is the zero of its type, and `indexOf` of a missing element is -1. Functions are declared
 * for each element type, because the checker has no type for "comparable". Source: kubernetes/apiserver,
 * pkg/cel/library/lists.go.
 */
export const LISTS = parseDeclarations(`
  list_a_index_of_int: .indexOf(list(A), A) -> int
  list_int_is_sorted_bool: .isSorted(list(int)) -> bool
  list_uint_is_sorted_bool: .isSorted(list(uint)) -> bool
  list_double_is_sorted_bool: .isSorted(list(double)) -> bool
  list_bool_is_sorted_bool: .isSorted(list(bool)) -> bool
  list_duration_is_sorted_bool: .isSorted(list(duration)) -> bool
  list_timestamp_is_sorted_bool: .isSorted(list(timestamp)) -> bool
  list_string_is_sorted_bool: .isSorted(list(string)) -> bool
  list_bytes_is_sorted_bool: .isSorted(list(bytes)) -> bool
  list_a_last_index_of_int: .lastIndexOf(list(A), A) -> int
  list_int_max_int: .max(list(int)) -> int
  list_uint_max_uint: .max(list(uint)) -> uint
  list_double_max_double: .max(list(double)) -> double
  list_bool_max_bool: .max(list(bool)) -> bool
  list_duration_max_duration: .max(list(duration)) -> duration
  list_timestamp_max_timestamp: .max(list(timestamp)) -> timestamp
  list_string_max_string: .max(list(string)) -> string
  list_bytes_max_bytes: .max(list(bytes)) -> bytes
  list_int_min_int: .min(list(int)) -> int
  list_uint_min_uint: .min(list(uint)) -> uint
  list_double_min_double: .min(list(double)) -> double
  list_bool_min_bool: .min(list(bool)) -> bool
  list_duration_min_duration: .min(list(duration)) -> duration
  list_timestamp_min_timestamp: .min(list(timestamp)) -> timestamp
  list_string_min_string: .min(list(string)) -> string
  list_bytes_min_bytes: .min(list(bytes)) -> bytes
  list_int_sum_int: .sum(list(int)) -> int
  list_uint_sum_uint: .sum(list(uint)) -> uint
  list_double_sum_double: .sum(list(double)) -> double
  list_duration_sum_duration: .sum(list(duration)) -> duration
`)

/** Whether a list has an element, or a value equals another: `self.models.includes('a')`. */
export const INCLUDES = parseDeclarations(`
  list_includes_dyn_dyn: .includes(dyn, dyn) -> bool
`)
