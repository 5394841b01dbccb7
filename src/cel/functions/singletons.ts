import { compareValues, runComparison } from '../values/compare.ts'
import { DefaultedMap } from '../values/defaulted-map.ts'
import { codePoints } from '../values/strings.ts'
import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelObject,
  CelTimestamp,
  CelType,
  type Int,
  isError,
  noSuchOverload,
  typeNameOf,
  type Value,
} from '../values/value.ts'
import { add, divide, modulo, multiply, negate, type Operator, subtract } from './arithmetic.ts'
import { sortByKeys } from './extended-lists.ts'
import { matchesPattern } from './regex.ts'

/**
 * A function that dispatches on its arguments itself. Returns undefined if the type of the first argument has no such
 * function.
 */
export type Singleton = (a: Value, b: Value) => Value | undefined

/** Makes a relation from a comparison. */
const relation =
  (holds: (order: number) => boolean): Operator =>
  (a, b) => {
    const order = compareValues(a, b)
    return typeof order === 'number' ? holds(order) : order
  }

/** Returns a size in code points, bytes, elements or entries. Undefined for types without a size. */
function celSize(value: Value): Int | undefined {
  if (typeof value === 'string') return codePoints(value)
  if (value instanceof CelList || value instanceof CelMap) return value.size
  if (value instanceof Uint8Array) return value.length
  return value instanceof CelObject ? value.size?.() : undefined
}

/** Implements `in`: the elements of a list, or the keys of a map. */
function isIn(value: Value, container: Value): Value {
  if (container instanceof CelList) return runComparison(container.contains(value))
  if (!(container instanceof CelMap)) return noSuchOverload(container)
  if (container instanceof DefaultedMap) return container.holds(value)
  const found = container.find(value)
  return isError(found) ? found : found !== undefined
}

/** Functions by name instead of signature. If types are known only at run time, no signature is selected in advance. */
export const SINGLETONS: Readonly<Record<string, Singleton>> = {
  '_+_': add,
  '_-_': subtract,
  '_*_': multiply,
  '_/_': divide,
  '_%_': modulo,
  '_<_': relation(order => order < 0),
  '_<=_': relation(order => order <= 0),
  '_>_': relation(order => order > 0),
  '_>=_': relation(order => order >= 0),
  '-_': negate,
  '!_': a => (typeof a === 'boolean' ? !a : noSuchOverload(a)),
  '@in': isIn,
  sort: a => (a instanceof CelList ? sortByKeys(a, a) : undefined),
  '@sortByAssociatedKeys': (a, b) => (a instanceof CelList && b instanceof CelList ? sortByKeys(a, b) : undefined),
  _in_: isIn,
  in: isIn,
  size: celSize,
  type: a => new CelType(typeNameOf(a)),
  dyn: a => a,
  matches: (a, b) => {
    if (typeof a !== 'string') return undefined
    return typeof b === 'string' ? matchesPattern(a, b) : noSuchOverload(b)
  },
}

/**
 * Returns the error for a type that has no function of the name. For texts, timestamps and durations, cel-go looks
 * among their methods first and reports it differently.
 */
export function noFunction(name: string, value: Value): CelError {
  if (typeof value === 'string' || value instanceof CelTimestamp || value instanceof CelDuration) return noSuchOverload(null)
  return new CelError(`no such overload: ${name}`)
}
