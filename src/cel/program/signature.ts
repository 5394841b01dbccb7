import type { Type } from '../type.ts'
import { CelList, CelMap, typeNameOf, type Value } from '../values/value.ts'

/** Reports whether a value matches a type of a signature at run time. Only the first element of a list or map is checked, as in cel-go. */
export function isOfType(value: Value, type: Type): boolean {
  const { kind, name, params } = type
  if (kind === 'dyn' || kind === 'any' || kind === 'param') return true
  if (typeNameOf(value) !== name) return false
  if (value instanceof CelList) return kind !== 'list' || value.size === 0 || isOfType(value.at(0), params[0])
  if (!(value instanceof CelMap) || kind !== 'map') return true
  for (const [key, first] of value.entries()) return isOfType(key, params[0]) && isOfType(first, params[1])
  return true
}

/** Whether the type is completely known at compile time, so that no run-time check is necessary. */
export const isStatic = ({ kind, params }: Type): boolean => kind !== 'dyn' && kind !== 'any' && kind !== 'param' && kind !== 'error' && params.every(isStatic)
