import { compareValues } from '../values/compare.ts'
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

/** Functions that find out by themselves what they are given, by name. They give undefined where the first argument's type has no such function. */
export type Singleton = (a: Value, b: Value) => Value | undefined

/** An order between values of types that have one in common. */
const relation =
  (holds: (order: number) => boolean): Operator =>
  (a, b) => {
    const order = compareValues(a, b)
    return typeof order === 'number' ? holds(order) : order
  }

/** Texts by code points, bytes by bytes; undefined for what has no size. */
function sizeOf(value: Value): Int | undefined {
  if (typeof value === 'string') return codePoints(value)
  if (value instanceof CelList || value instanceof CelMap) return value.size
  if (value instanceof Uint8Array) return value.length
  return value instanceof CelObject ? value.size?.() : undefined
}

/** Elements of a list, keys of a map. */
function isIn(value: Value, container: Value): Value {
  if (container instanceof CelList) return container.contains(value)
  if (!(container instanceof CelMap)) return noSuchOverload(container)
  const found = container.find(value)
  return isError(found) ? found : found !== undefined
}

/** By the name of the function, not of a signature: where types are known only when the program runs, none is chosen before. */
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
  size: sizeOf,
  type: a => new CelType(typeNameOf(a)),
  dyn: a => a,
  matches: (a, b) => {
    if (typeof a !== 'string') return undefined
    return typeof b === 'string' ? matchesPattern(a, b) : noSuchOverload(b)
  },
}

/** What stands where a type has no function of a name: texts, times and durations look for it among their methods first. */
export function noFunction(name: string, value: Value): CelError {
  if (typeof value === 'string' || value instanceof CelTimestamp || value instanceof CelDuration) return noSuchOverload(null)
  return new CelError(`no such overload: ${name}`)
}
