import type { Type } from '../type.ts'
import { CelList, CelMap, typeNameOf, type Value } from '../values/value.ts'

/** Whether a value is what a signature says, as far as that is looked at when it runs: of lists and maps, the first element. */
export function isOfType(value: Value, type: Type): boolean {
  const { kind, name, params } = type
  if (kind === 'dyn' || kind === 'any' || kind === 'param') return true
  if (typeNameOf(value) !== name) return false
  if (value instanceof CelList) return kind !== 'list' || value.size === 0 || isOfType(value.at(0), params[0])
  if (!(value instanceof CelMap) || kind !== 'map') return true
  for (const [key, first] of value.entries()) return isOfType(key, params[0]) && isOfType(first, params[1])
  return true
}

/** Whether values of a type are known when the expression is compiled, so that nothing is left to look at. */
export const isStatic = ({ kind, params }: Type): boolean => kind !== 'dyn' && kind !== 'any' && kind !== 'param' && kind !== 'error' && params.every(isStatic)
