import type { CallCost } from '../cost/call-cost.ts'
import type { Implementation } from '../functions/implementation.ts'
import { isError, type Value } from '../values/value.ts'
import type { Evaluate, Frame } from './frame.ts'

/** How a call evaluates its arguments and is charged. */
export interface CallForm {
  /**
   * Whether arguments after an error are not evaluated, and the call then costs nothing. True for calls of three or
   * more arguments, and a few others.
   */
  readonly stops: boolean
  /** Whether errors are passed to the function. */
  readonly takesErrors: boolean
  /**
   * Whether the cost is charged before the call, so that a call that exceeds the limit does not run. Set for functions
   * whose duration is proportional to it.
   */
  readonly paysFirst?: boolean
}

/** Calls a function with its evaluated arguments, unless one of them is an error. */
export const callFunction = (fn: Implementation, args: readonly Evaluate[], cost: CallCost, form: CallForm): Evaluate =>
  keeping(calling(fn, args, cost, form))

/** Cost, including arguments, from which on storing the result of a call is cheaper than repeating it. */
const LONG_CALL = 100
/** Cost from which the clock is read after a call: for a text, about a millisecond. */
const VERY_LONG_CALL = 30_000

/**
 * Stores the result of a long call if the evaluation can be suspended. Otherwise each resumption would repeat the call.
 */
function keeping(evaluate: Evaluate): Evaluate {
  return frame => {
    if (!frame.isSliced) return evaluate(frame)
    const before = frame.wasSuspended ? frame.doneBefore(evaluate) : undefined
    if (before !== undefined) {
      frame.continueAt(evaluate)
      return before
    }
    const { cost } = frame
    const value = evaluate(frame)
    if (frame.cost - cost >= LONG_CALL) frame.finish(evaluate, value)
    if (frame.cost - cost >= VERY_LONG_CALL) frame.suspendAfter(evaluate)
    return value
  }
}

/** Charges a call before it runs. The cost is stored like a result, because computing it reads long values as well. */
function chargeFirst(frame: Frame, call: object, cost: () => number): void {
  const before = frame.wasSuspended ? frame.doneBefore(call) : undefined
  frame.call = call
  const amount = typeof before === 'number' ? before : cost()
  if (frame.isSliced && amount >= LONG_CALL) frame.finish(call, amount)
  frame.charge(amount)
}

function calling(fn: Implementation, args: readonly Evaluate[], cost: CallCost, form: CallForm): Evaluate {
  const [first, second] = args
  if (!first) return nullary(fn, cost)
  if (form.stops) return stopping(fn, args, cost, form)
  return second ? binary(fn, first, second, cost, form) : unary(fn, first, cost, form)
}

/** A closure for each number of arguments. Evaluations consist mostly of calls. */
function nullary(fn: Implementation, cost: CallCost): Evaluate {
  return frame => {
    const result = fn()
    frame.charge(cost(null, null, result))
    return result
  }
}

function unary(fn: Implementation, arg: Evaluate, cost: CallCost, form: CallForm): Evaluate {
  const { takesErrors, paysFirst = false } = form
  const call = {}
  return frame => {
    const value = arg(frame)
    if (paysFirst) chargeFirst(frame, form, () => cost(value, null, null))
    frame.call = call
    const result = isError(value) && !takesErrors ? value : fn(value)
    if (!paysFirst) frame.charge(cost(value, null, result))
    return result
  }
}

function binary(fn: Implementation, left: Evaluate, right: Evaluate, cost: CallCost, form: CallForm): Evaluate {
  const { paysFirst = false } = form
  const call = {}
  return frame => {
    const first = left(frame)
    const second = right(frame)
    if (paysFirst) chargeFirst(frame, form, () => cost(first, second, null))
    frame.call = call
    const result = isError(first) ? first : isError(second) ? second : fn(first, second)
    if (!paysFirst) frame.charge(cost(first, second, result))
    return result
  }
}

/** Stops at an error. If it is the last argument, all have been evaluated, and cel-go charges the call. */
function stopping(fn: Implementation, args: readonly Evaluate[], cost: CallCost, form: CallForm): Evaluate {
  const { paysFirst = false } = form
  const call = {}
  return frame => {
    const values: Value[] = []
    for (const arg of args) {
      const value = arg(frame)
      values.push(value)
      if (!isError(value)) continue
      if (values.length === args.length) frame.charge(cost(values[0] ?? null, values[1] ?? null, value))
      return value
    }
    if (paysFirst) chargeFirst(frame, form, () => cost(values[0] ?? null, values[1] ?? null, null))
    frame.call = call
    const result = fn(...values)
    if (!paysFirst) frame.charge(cost(values[0] ?? null, values[1] ?? null, result))
    return result
  }
}
