import { celGoType } from '../values/go-type.ts'
import { GrowingList, listOfValues } from '../values/list.ts'
import { ValueMap } from '../values/map.ts'
import { CelError, CelList, CelMap, isError, type Value } from '../values/value.ts'
import { type Evaluate, type Frame, type Rounds, SUSPENDED } from './frame.ts'

/** A planned loop, with the slots of its variables. */
export interface LoopPlan {
  readonly range: Evaluate
  readonly condition: Evaluate
  readonly step: Evaluate
  readonly result: Evaluate
  readonly accumulator: number
  readonly variable: number
  readonly variable2: number | undefined
}

/** The error of an evaluation that its caller aborted. */
const INTERRUPTED = new CelError('operation interrupted')

/** Returns the initial accumulator. An empty list or map becomes one that can grow in place. */
export function beginning(value: Value): Value {
  if (value instanceof CelList && value.size === 0) return new GrowingList()
  return value instanceof CelMap && value.size === 0 ? new ValueMap([], true) : value
}

/** Converts a grown collection to an immutable value at the end of its loop. */
const finished = (value: Value): Value => {
  if (value instanceof GrowingList) return listOfValues(value.values)
  return value instanceof ValueMap && value.isGrowing ? new ValueMap(value.entries()) : value
}

/**
 * Returns the rounds of a range. A single variable is the element or key; two are index and element, or key and value.
 */
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

/** Runs all rounds. Returns false if it was interrupted. */
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

/** Runs the rounds of a loop that can be suspended, continuing after the last suspension. */
function runInSlices(frame: Frame, plan: LoopPlan, rounds: Rounds): boolean {
  const { slots } = frame
  const { count, begin } = rounds
  const { condition, step, accumulator } = plan
  const state = frame.enter(plan)
  if (state) slots[accumulator] = state.accumulated
  for (let round = state?.round ?? 0; round < count; round++) {
    // The round in which the loop was suspended runs first: its results are kept, and the cost is restored within it.
    if (round !== state?.round) {
      frame.nextRound()
      if (frame.shouldSuspend()) {
        frame.suspend(plan, { rounds, round, accumulated: slots[accumulator] })
        throw SUSPENDED
      }
    }
    begin(slots, round)
    const { cost } = frame
    try {
      if (condition(frame) === false) break
      slots[accumulator] = step(frame)
    } catch (fault) {
      if (fault === SUSPENDED) {
        // The unfinished part of this round runs again, so its cost is taken back.
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

/** Returns the rounds of a loop, or an error if its range is not iterable. */
function begun(frame: Frame, plan: LoopPlan): Rounds | CelError {
  const range = plan.range(frame)
  if (isError(range)) return range
  if (range instanceof CelList || range instanceof CelMap) return roundsOf(plan, range)
  const type = celGoType(range)
  return new CelError(
    plan.variable2 === undefined ? `got '${type}', expected iterable type` : `unsupported comprehension range type: ${type}`,
  )
}

/** A loop. Its result is stored if the evaluation can be suspended, so that it does not run twice. */
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
