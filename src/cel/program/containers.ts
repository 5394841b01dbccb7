import { listOfValues } from '../values/list.ts'
import { ValueMap } from '../values/map.ts'
import { printValue } from '../values/print.ts'
import { CelError, CelOptional, isError, type Value } from '../values/value.ts'
import type { Evaluate, Frame } from './frame.ts'

/** Cost of creating a list, map or struct. Source: cel-go, common/cost.go. */
const LIST_COST = 10
const MAP_COST = 30
const STRUCT_COST = 40

/** Creates a value and charges for it, even if creating it fails. */
const made =
  (make: Evaluate, cost: number): Evaluate =>
  frame => {
    const value = make(frame)
    frame.charge(cost)
    return value
  }

/** Creates a list. Elements with `?` are omitted if their optional is empty. */
export function listMaker(elements: readonly Evaluate[], optionals: ReadonlySet<number>): Evaluate {
  return made(frame => {
    const values: Value[] = []
    let i = 0
    for (let element = elements[i]; element !== undefined; element = elements[++i]) {
      const value = element(frame)
      if (isError(value)) return value
      if (!optionals.has(i)) values.push(value)
      else if (!(value instanceof CelOptional))
        return new CelError(`cannot initialize optional list element from non-optional value ${printValue(value)}`)
      else if (value.value !== undefined) values.push(value.value)
    }
    return listOfValues(values)
  }, LIST_COST)
}

/**
 * An entry of a map.
 * `optional`: whether it is written with `?`, so that it is omitted if its optional is empty.
 */
export interface EntryMaker {
  /** Evaluated before the value. An error ends the creation of the map. */
  readonly key: Evaluate
  readonly value: Evaluate
  readonly optional: boolean
}

/** Returns the value of an entry. Undefined if the entry is omitted. */
function entryValue(value: Value, { optional }: { readonly optional: boolean }, name: () => string): Value | undefined {
  if (!optional) return value
  if (value instanceof CelOptional) return value.value
  return new CelError(`cannot initialize optional entry '${name()}' from non-optional value ${printValue(value)}`)
}

/** Creates a map. A later entry of the same key replaces an earlier one, and an empty optional removes it. */
export function mapMaker(entries: readonly EntryMaker[]): Evaluate {
  return made(frame => {
    const map = new ValueMap()
    for (const entry of entries) {
      const key = entry.key(frame)
      if (isError(key)) return key
      const given = entry.value(frame)
      if (isError(given)) return given
      const value = entryValue(given, entry, () => printValue(key))
      if (isError(value)) return value
      if (value === undefined) map.delete(key)
      else map.set(key, value)
    }
    return map
  }, MAP_COST)
}

/** A field of a struct, as an EntryMaker is an entry of a map. */
export interface FieldMaker {
  /** Field of the struct, which the checker has found. */
  readonly name: string
  readonly value: Evaluate
  /** Whether it is written with `?`, so that it stays unset if its optional is empty. */
  readonly optional: boolean
}

/** Creates a struct of the given fields with the constructor that the environment declares. */
export function structMaker(fields: readonly FieldMaker[], make: (fields: ReadonlyMap<string, Value>) => Value): Evaluate {
  return made(frame => {
    const values = fieldValues(frame, fields)
    return values instanceof CelError ? values : make(values)
  }, STRUCT_COST)
}

/** Evaluates the fields in their order. */
function fieldValues(frame: Frame, fields: readonly FieldMaker[]): Map<string, Value> | CelError {
  const values = new Map<string, Value>()
  for (const field of fields) {
    const given = field.value(frame)
    if (isError(given)) return given
    const value = entryValue(given, field, () => field.name)
    if (isError(value)) return value
    if (value === undefined) values.delete(field.name)
    else values.set(field.name, value)
  }
  return values
}
