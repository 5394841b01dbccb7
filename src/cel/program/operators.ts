import type { CallCost } from '../cost/call-cost.ts'
import { equalValues } from '../values/compare.ts'
import { ValueMap } from '../values/map.ts'
import { CelDouble, type CelError, type CelList, CelOptional, CelUint, isError, isInt, noSuchOverload, type Value } from '../values/value.ts'
import type { Evaluate } from './frame.ts'

/** An error is forgotten where the other side decides. */
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

/** `false && error` is false, on either side. */
export const and = junction(false)
/** `true || error` is true, on either side. */
export const or = junction(true)

/** @param negated for `!=`, of which an error is true. */
export function equality(left: Evaluate, right: Evaluate, cost: CallCost, negated: boolean): Evaluate {
  return frame => {
    const first = left(frame)
    const second = right(frame)
    let result: boolean | CelError
    if (isError(first)) result = first
    else if (isError(second)) result = second
    else result = negated ? equalValues(first, second) !== true : equalValues(first, second)
    frame.charge(cost(first, second, result))
    return result
  }
}

/** Whether a value is one of a list that never changes: it costs nothing. */
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

/** Values whose equality a map of keys decides; lists and times are compared one by one. */
const isHashable = (value: Value): boolean =>
  typeof value === 'string' || typeof value === 'boolean' || isInt(value) || value instanceof CelUint || value instanceof CelDouble

/** `a.or(b)` and `a.orValue(b)`: the second is looked at only where the first is empty. */
export const orElse =
  (left: Evaluate, right: Evaluate, unwraps: boolean): Evaluate =>
  frame => {
    const first = left(frame)
    if (!(first instanceof CelOptional)) return first
    if (first.value === undefined) return right(frame)
    return unwraps ? first.value : first
  }
