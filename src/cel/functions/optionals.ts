import { listOfValues } from '../values/list.ts'
import { ValueMap } from '../values/map.ts'
import { printValue } from '../values/print.ts'
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelUint,
  NONE,
  type Value,
} from '../values/value.ts'
import type { Implementations } from './implementation.ts'

/** Reports whether a value is the zero value of its type. Lists and maps that come from documents never are. */
function isZeroValue(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === '') return true
  if (value instanceof CelUint) return value.value === 0n
  if (value instanceof CelDouble) return value.value === 0
  if (value instanceof CelDuration) return value.nanos === 0n
  // Go's zero time is the first instant of year 1.
  if (value instanceof CelTimestamp) return value.seconds === -62135596800 && value.nanos === 0
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0 && value.isZeroable
  if (value instanceof CelObject) return value.isZero
  return value instanceof Uint8Array && value.length === 0
}

/** Implements `value()`, which fails for an empty optional. `orValue` does not. */
function heldValue({ value }: CelOptional): Value {
  return value === undefined ? new CelError('optional.none() dereference') : value
}

/** Returns the values of a list of optionals, without the empty ones. */
function unwrap(list: CelList): Value {
  const values: Value[] = []
  for (let i = 0; i < list.size; i++) {
    const optional = list.at(i)
    if (!(optional instanceof CelOptional)) return new CelError(`value ${printValue(optional)} is not optional`)
    if (optional.value !== undefined) values.push(optional.value)
  }
  return listOfValues(values)
}

/** Functions of optionals, except the lazy `or` and `orValue` (program/planner.ts). Source: cel-go, cel/library.go. */
export const OPTIONAL_FUNCTIONS: Implementations = {
  list_first: (list: CelList) => (list.size === 0 ? NONE : new CelOptional(list.at(0))),
  list_last: (list: CelList) => (list.size === 0 ? NONE : new CelOptional(list.at(list.size - 1))),
  optional_hasValue: ({ value }: CelOptional) => value !== undefined,
  optional_none: () => NONE,
  optional_of: (value: Value) => new CelOptional(value),
  optional_ofNonZeroValue: (value: Value) => (isZeroValue(value) ? NONE : new CelOptional(value)),
  optional_unwrap: unwrap,
  optional_unwrapOpt: unwrap,
  optional_value: heldValue,
}

/** The error for a loop that inserts a key twice. */
const keyExistsError = (key: Value): CelError => new CelError(`insert failed: key ${printValue(key)} already exists`)

/** Returns a map with another entry. A growing map, which only its loop refers to, is changed in place. */
function insert(map: CelMap, key: Value, value: Value): CelMap | CelError {
  if (map.find(key) !== undefined) return keyExistsError(key)
  const grown = map instanceof ValueMap && map.isGrowing ? map : copyOf(map)
  grown.set(key, value)
  return grown
}

/** Inserts the entries of a map. Used by `transformMapEntry`. */
function insertAll(map: CelMap, others: CelMap): Value {
  let grown = map
  for (const [key, value] of others.entries()) {
    const next = insert(grown, key, value)
    if (next instanceof CelError) return next
    grown = next
  }
  return grown
}

/** Copies a map. Values are immutable outside of the loop that builds them. */
function copyOf(map: CelMap): ValueMap {
  return new ValueMap(map.entries())
}

/** Functions that the `transformMap` macros expand to. */
export const MAP_FUNCTIONS: Implementations = {
  '@mapInsert_map_key_value': insert,
  '@mapInsert_map_map': insertAll,
}
