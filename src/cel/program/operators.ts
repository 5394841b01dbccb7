import type { CallCost } from '../cost/call-cost.ts'
import { equalityOf, equalValues } from '../values/compare.ts'
import { ValueMap } from '../values/map.ts'
import {
  CelDouble,
  type CelError,
  type CelList,
  CelOptional,
  CelUint,
  isError,
  isInt,
  noSuchOverload,
  type Value,
} from '../values/value.ts'
import type { Evaluate } from './frame.ts'

/** Makes `&&` or `||`. An error on one side is ignored if the other side decides the result. */
const junction =
  (deciding: boolean) =>
  (left: Evaluate, right: Evaluate): Evaluate =>
  frame => {
    const first = left(frame)
    if (first === deciding) return deciding
    const second = right(frame)
    if (second === deciding) return deciding
    if (typeof first !== 'boolean') return noSuchOverload(first)
    return typeof second === 'boolean' ? second : noSuchOverload(second)
  }

/** `false && error` is false, in either order. */
export const and = junction(false)
/** `true || error` is true, in either order. */
export const or = junction(true)

/** @param negated for `!=`, which is true if the comparison fails. */
export function equality(left: Evaluate, right: Evaluate, cost: CallCost, negated: boolean): Evaluate {
  const call = {}
  return frame => {
    const first = left(frame)
    const second = right(frame)
    frame.call = call
    let result: boolean | CelError
    if (isError(first)) result = first
    else if (isError(second)) result = second
    else result = negated ? equalityOf(equalValues(first, second)) !== true : equalityOf(equalValues(first, second))
    frame.charge(cost(first, second, result))
    return result
  }
}

/** Tests membership in a constant list, at no cost. Undefined if the elements cannot be hashed. */
export function membership(value: Evaluate, list: CelList): Evaluate | undefined {
  if (list.size === 0) return () => false
  const members = new ValueMap()
  for (let i = 0; i < list.size; i++) {
    const member = list.at(i)
    if (!isHashable(member)) return undefined
    members.set(member, true)
  }
  return frame => {
    const wanted = value(frame)
    return isError(wanted) ? wanted : members.find(wanted) !== undefined
  }
}

/** Whether map keys decide equality. Lists, timestamps and durations are compared one by one. */
const isHashable = (value: Value): boolean =>
  typeof value === 'string' || typeof value === 'boolean' || isInt(value) || value instanceof CelUint || value instanceof CelDouble

/** `a.or(b)` and `a.orValue(b)`: `b` is evaluated only if `a` is empty. */
export const orElse =
  (left: Evaluate, right: Evaluate, unwraps: boolean): Evaluate =>
  frame => {
    const first = left(frame)
    if (!(first instanceof CelOptional)) return first
    if (first.value === undefined) return right(frame)
    return unwraps ? first.value : first
  }
