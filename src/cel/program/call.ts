import type { CallCost } from '../cost/call-cost.ts'
import type { Implementation } from '../functions/implementation.ts'
import { isError, type Value } from '../values/value.ts'
import type { Evaluate, Frame } from './frame.ts'

/** How a call reacts to an argument that is an error. */
export interface CallForm {
  /** The arguments behind one that is an error are not evaluated, and then the call costs nothing: calls of three arguments and more, and a few others. */
  readonly stops: boolean
  /** Errors are given to the function as they are. */
  readonly takesErrors: boolean
  /** What it costs is charged before it runs: it takes as long as that, and one that exceeds the limit is not run at all. */
  readonly paysFirst?: boolean
}

/** Calls a function with the values of its arguments, unless one of them is an error. */
export const call = (fn: Implementation, args: readonly Evaluate[], cost: CallCost, form: CallForm): Evaluate => keeping(calling(fn, args, cost, form))

/** Units of cost from which on a call, with its arguments, takes longer than keeping its value does. */
const LONG_CALL = 100

/** Keeps the value of a long call for an evaluation that is suspended later. Otherwise each turn of the work behind it would begin with the call again. */
function keeping(evaluate: Evaluate): Evaluate {
  return frame => {
    if (!frame.isSliced) return evaluate(frame)
    const before = frame.wasSuspended ? frame.doneBefore(evaluate) : undefined
    if (before !== undefined) return before
    const { cost } = frame
    const value = evaluate(frame)
    if (frame.cost - cost >= LONG_CALL) frame.finish(evaluate, value)
    return value
  }
}

/** Charges what a call costs before it runs. The cost is kept as values are: counting a long text takes long as well. */
function chargeFirst(frame: Frame, call: object, cost: () => number): void {
  const before = frame.wasSuspended ? frame.doneBefore(call) : undefined
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

/** Each number of arguments has a closure of its own: calls are what evaluations mostly consist of. */
function nullary(fn: Implementation, cost: CallCost): Evaluate {
  return frame => {
    const result = fn()
    frame.charge(cost(null, null, result))
    return result
  }
}

function unary(fn: Implementation, arg: Evaluate, cost: CallCost, form: CallForm): Evaluate {
  const { takesErrors, paysFirst = false } = form
  return frame => {
    const value = arg(frame)
    if (paysFirst) chargeFirst(frame, form, () => cost(value, null, null))
    const result = isError(value) && !takesErrors ? value : fn(value)
    if (!paysFirst) frame.charge(cost(value, null, result))
    return result
  }
}

function binary(fn: Implementation, left: Evaluate, right: Evaluate, cost: CallCost, form: CallForm): Evaluate {
  const { paysFirst = false } = form
  return frame => {
    const first = left(frame)
    const second = right(frame)
    if (paysFirst) chargeFirst(frame, form, () => cost(first, second, null))
    const result = isError(first) ? first : isError(second) ? second : fn(first, second)
    if (!paysFirst) frame.charge(cost(first, second, result))
    return result
  }
}

/** Where the last argument is the error, cel-go has evaluated them all, and charges. */
function stopping(fn: Implementation, args: readonly Evaluate[], cost: CallCost, form: CallForm): Evaluate {
  const { paysFirst = false } = form
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
    const result = fn(...values)
    if (!paysFirst) frame.charge(cost(values[0] ?? null, values[1] ?? null, result))
    return result
  }
}
