import { listOfValues } from '../values/list.ts'
import { ValueMap } from '../values/map.ts'
import { printValue } from '../values/print.ts'
import { CelDouble, CelDuration, CelError, CelList, CelMap, CelObject, CelOptional, CelTimestamp, CelUint, NONE, type Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'

/** The zero value of a type that has one: lists and maps that come from documents have none. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === '') return true
  if (value instanceof CelUint) return value.value === 0n
  if (value instanceof CelDouble) return value.value === 0
  if (value instanceof CelDuration) return value.nanos === 0n
  // Go's zero time is the first instant of the year 1.
  if (value instanceof CelTimestamp) return value.seconds === -62135596800 && value.nanos === 0
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0 && value.isZeroable
  if (value instanceof CelObject) return value.isZero
  return value instanceof Uint8Array && value.length === 0
}

/** Asking an empty optional for its value is an error; `orValue` is the way without. */
function heldValue({ value }: CelOptional): Value {
  return value === undefined ? new CelError('optional.none() dereference') : value
}

/** The values that are there: those that are absent leave no gap. */
function unwrap(list: CelList): Value {
  const values: Value[] = []
  for (let i = 0; i < list.size; i++) {
    const optional = list.at(i)
    if (!(optional instanceof CelOptional)) return new CelError(`value ${printValue(optional)} is not optional`)
    if (optional.value !== undefined) values.push(optional.value)
  }
  return listOfValues(values)
}

/** Source: cel-go, cel/library.go. What is lazy of them is in program/planner.ts. */
export const OPTIONAL_FUNCTIONS: Implementations = {
  list_first: (list: CelList) => (list.size === 0 ? NONE : new CelOptional(list.at(0))),
  list_last: (list: CelList) => (list.size === 0 ? NONE : new CelOptional(list.at(list.size - 1))),
  optional_hasValue: ({ value }: CelOptional) => value !== undefined,
  optional_none: () => NONE,
  optional_of: (value: Value) => new CelOptional(value),
  optional_ofNonZeroValue: (value: Value) => (isZero(value) ? NONE : new CelOptional(value)),
  optional_unwrap: unwrap,
  optional_unwrapOpt: unwrap,
  optional_value: heldValue,
}

/** Two rounds of a loop that give the same key contradict each other. */
const exists = (key: Value): CelError => new CelError(`insert failed: key ${printValue(key)} already exists`)

/** A map with one entry more. A map that only a loop holds is changed. */
function insert(map: CelMap, key: Value, value: Value): CelMap | CelError {
  if (map.find(key) !== undefined) return exists(key)
  const grown = map instanceof ValueMap && map.isGrowing ? map : copyOf(map)
  grown.set(key, value)
  return grown
}

/** Of a loop whose rounds give maps. */
function insertAll(map: CelMap, others: CelMap): Value {
  let grown = map
  for (const [key, value] of others.entries()) {
    const next = insert(grown, key, value)
    if (next instanceof CelError) return next
    grown = next
  }
  return grown
}

/** Values are shared, and so never changed: an insertion copies but within a loop. */
function copyOf(map: CelMap): ValueMap {
  return new ValueMap(map.entries())
}

/** What loops of two variables that make a map become. */
export const MAP_FUNCTIONS: Implementations = {
  '@mapInsert_map_key_value': insert,
  '@mapInsert_map_map': insertAll,
}
