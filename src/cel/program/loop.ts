import { goTypeOf } from '../values/go-type.ts'
import { GrowingList, listOfValues } from '../values/list.ts'
import { ValueMap } from '../values/map.ts'
import { CelError, CelList, CelMap, isError, type Value } from '../values/value.ts'
import type { Evaluate, Frame } from './frame.ts'

/** A loop, with the places of its variables. */
export interface LoopPlan {
  readonly range: Evaluate
  readonly condition: Evaluate
  readonly step: Evaluate
  readonly result: Evaluate
  readonly accumulator: number
  readonly variable: number
  readonly variable2: number | undefined
}

const INTERRUPTED = new CelError('operation interrupted')

/** The value that an accumulator begins with: the loop adds to an empty list or map in place. */
export function beginning(value: Value): Value {
  if (value instanceof CelList && value.size === 0) return new GrowingList()
  return value instanceof CelMap && value.size === 0 ? new ValueMap([], true) : value
}

const finished = (value: Value): Value => {
  if (value instanceof GrowingList) return listOfValues(value.values)
  return value instanceof ValueMap && value.isGrowing ? new ValueMap(Array.from(value.keys(), key => [key, value.find(key)!] as const)) : value
}

/** One round; false where the loop ends. */
function round(frame: Frame, { condition, step, accumulator }: LoopPlan): boolean {
  if (condition(frame) === false) return false
  frame.slots[accumulator] = step(frame)
  return true
}

/** Runs over a list or map. False where it was interrupted. */
function run(frame: Frame, plan: LoopPlan, range: CelList | CelMap): boolean {
  const { slots } = frame
  const { variable, variable2 } = plan
  if (range instanceof CelList) {
    const { size } = range
    for (let i = 0; i < size; i++) {
      slots[variable] = variable2 === undefined ? range.at(i) : i
      if (variable2 !== undefined) slots[variable2] = range.at(i)
      if (!round(frame, plan)) return true
      if (frame.shouldStop()) return false
    }
    return true
  }
  for (const key of range.keys()) {
    slots[variable] = key
    if (variable2 !== undefined) slots[variable2] = range.find(key)
    if (!round(frame, plan)) return true
    if (frame.shouldStop()) return false
  }
  return true
}

export function loop(plan: LoopPlan): Evaluate {
  return frame => {
    frame.slots[plan.accumulator] = undefined
    const range = plan.range(frame)
    if (isError(range)) return range
    if (!(range instanceof CelList) && !(range instanceof CelMap)) {
      const type = goTypeOf(range)
      return new CelError(plan.variable2 === undefined ? `got '${type}', expected iterable type` : `unsupported comprehension range type: ${type}`)
    }
    return run(frame, plan, range) ? finished(plan.result(frame)) : INTERRUPTED
  }
}
