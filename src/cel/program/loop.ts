import { goTypeOf } from '../values/go-type.ts'
import { GrowingList, listOfValues } from '../values/list.ts'
import { ValueMap } from '../values/map.ts'
import { CelError, CelList, CelMap, isError, type Value } from '../values/value.ts'
import { type Evaluate, type Frame, type Rounds, SUSPENDED } from './frame.ts'

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

/** The caller has given up. */
const INTERRUPTED = new CelError('operation interrupted')

/** The value that an accumulator begins with: the loop adds to an empty list or map in place. */
export function beginning(value: Value): Value {
  if (value instanceof CelList && value.size === 0) return new GrowingList()
  return value instanceof CelMap && value.size === 0 ? new ValueMap([], true) : value
}

/** A collection that a loop has grown becomes a value like any other: nobody may add to it any more. */
const finished = (value: Value): Value => {
  if (value instanceof GrowingList) return listOfValues(value.values)
  return value instanceof ValueMap && value.isGrowing ? new ValueMap(value.entries()) : value
}

/** One variable is the element or the key; two are the index and the element, or the key and the value. */
function roundsOf({ variable, variable2 }: LoopPlan, range: CelList | CelMap): Rounds {
  if (range instanceof CelList) {
    return {
      count: range.size,
      begin(slots, round) {
        slots[variable] = variable2 === undefined ? range.at(round) : round
        if (variable2 !== undefined) slots[variable2] = range.at(round)
      },
    }
  }
  const keys = [...range.keys()]
  return {
    count: keys.length,
    begin(slots, round) {
      const key = keys[round]
      slots[variable] = key
      if (variable2 !== undefined && key !== undefined) slots[variable2] = range.find(key)
    },
  }
}

/** Runs all rounds. False where it was interrupted. */
function run(frame: Frame, plan: LoopPlan, { count, begin }: Rounds): boolean {
  const { slots } = frame
  const { condition, step, accumulator } = plan
  for (let round = 0; round < count; round++) {
    begin(slots, round)
    if (condition(frame) === false) return true
    slots[accumulator] = step(frame)
    if (frame.shouldStop()) return false
  }
  return true
}

/** As run, from where it was suspended, and in a way that it can be suspended. */
function runInSlices(frame: Frame, plan: LoopPlan, rounds: Rounds): boolean {
  const { slots } = frame
  const { count, begin } = rounds
  const { condition, step, accumulator } = plan
  const state = frame.enter(plan)
  if (state) slots[accumulator] = state.accumulated
  for (let round = state?.round ?? 0; round < count; round++) {
    if (frame.shouldSuspend()) {
      frame.nextRound()
      frame.suspend(plan, { rounds, round, accumulated: slots[accumulator] })
      throw SUSPENDED
    }
    // Of the round that is taken up, what was done stays done.
    if (round !== state?.round) frame.nextRound()
    begin(slots, round)
    const { cost } = frame
    try {
      if (condition(frame) === false) break
      slots[accumulator] = step(frame)
    } catch (fault) {
      if (fault === SUSPENDED) {
        // What was done of the round that was left is done again, and may not be charged twice.
        if (frame.isFirstToSuspend) frame.cost = cost
        frame.suspend(plan, { rounds, round, accumulated: slots[accumulator] })
      }
      throw fault
    }
    if (frame.shouldStop()) {
      frame.leave()
      return false
    }
  }
  frame.leave()
  return true
}

/** The rounds of a loop that begins, or why it cannot. */
function begun(frame: Frame, plan: LoopPlan): Rounds | CelError {
  const range = plan.range(frame)
  if (isError(range)) return range
  if (range instanceof CelList || range instanceof CelMap) return roundsOf(plan, range)
  const type = goTypeOf(range)
  return new CelError(plan.variable2 === undefined ? `got '${type}', expected iterable type` : `unsupported comprehension range type: ${type}`)
}

/** A loop evaluates its range once. Its value is kept where the evaluation may be suspended, so that it does not run again. */
export function loop(plan: LoopPlan): Evaluate {
  return frame => {
    const done = frame.isSliced ? frame.doneBefore(plan) : undefined
    if (done !== undefined) return done
    frame.slots[plan.accumulator] = undefined
    const rounds = (frame.isSliced ? frame.roundsOf(plan) : undefined) ?? begun(frame, plan)
    if (rounds instanceof CelError) return rounds
    if (!frame.isSliced) return run(frame, plan, rounds) ? finished(plan.result(frame)) : INTERRUPTED
    if (!runInSlices(frame, plan, rounds)) return INTERRUPTED
    const value = finished(plan.result(frame))
    frame.finish(plan, value)
    return value
  }
}
