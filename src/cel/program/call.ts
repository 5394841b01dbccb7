import type { CallCost } from '../cost/call-cost.ts'
import type { Implementation } from '../functions/implementation.ts'
import { isError, type Value } from '../values/value.ts'
import type { Evaluate } from './frame.ts'

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
export function call(fn: Implementation, args: readonly Evaluate[], cost: CallCost, form: CallForm): Evaluate {
  const [first, second] = args
  if (!first) return nullary(fn, cost)
  if (form.stops) return stopping(fn, args, cost)
  return second ? binary(fn, first, second, cost, form.paysFirst) : unary(fn, first, cost, form)
}

/** Each number of arguments has a closure of its own: calls are what evaluations mostly consist of. */
function nullary(fn: Implementation, cost: CallCost): Evaluate {
  return frame => {
    const result = fn()
    frame.charge(cost(null, null, result))
    return result
  }
}

function unary(fn: Implementation, arg: Evaluate, cost: CallCost, { takesErrors, paysFirst = false }: CallForm): Evaluate {
  return frame => {
    const value = arg(frame)
    if (paysFirst) frame.charge(cost(value, null, null))
    const result = isError(value) && !takesErrors ? value : fn(value)
    if (!paysFirst) frame.charge(cost(value, null, result))
    return result
  }
}

function binary(fn: Implementation, left: Evaluate, right: Evaluate, cost: CallCost, paysFirst = false): Evaluate {
  return frame => {
    const first = left(frame)
    const second = right(frame)
    if (paysFirst) frame.charge(cost(first, second, null))
    const result = isError(first) ? first : isError(second) ? second : fn(first, second)
    if (!paysFirst) frame.charge(cost(first, second, result))
    return result
  }
}

/** Where the last argument is the error, cel-go has evaluated them all, and charges. */
function stopping(fn: Implementation, args: readonly Evaluate[], cost: CallCost): Evaluate {
  return frame => {
    const values: Value[] = []
    for (const arg of args) {
      const value = arg(frame)
      values.push(value)
      if (!isError(value)) continue
      if (values.length === args.length) frame.charge(cost(values[0] ?? null, values[1] ?? null, value))
      return value
    }
    const result = fn(...values)
    frame.charge(cost(values[0] ?? null, values[1] ?? null, result))
    return result
  }
}
