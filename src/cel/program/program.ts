import type { Checked } from '../checker.ts'
import type { Environment } from '../environment.ts'
import { type CelError, isError, type Value } from '../values/value.ts'
import { type Activation, CostLimitExceeded, Frame } from './frame.ts'
import { Planner } from './planner.ts'

/** What one call may cost (Kubernetes, "Resource constraints"). */
export const PER_CALL_LIMIT = 1_000_000

/** What came of an evaluation, and what it cost. */
export type Outcome = { readonly cost: number } & (
  | { readonly value: Exclude<Value, CelError>; readonly error?: undefined }
  /** In cel-go's words. Exceeding the limit ends everything: `isLimit` tells it from what an expression may come to. */
  | { readonly error: string; readonly isLimit: boolean; readonly value?: undefined }
)

export interface EvaluateOptions {
  /** Default: PER_CALL_LIMIT. */
  readonly limit?: number
  /** Asked at every hundredth iteration: true ends the evaluation with an error. */
  readonly interrupted?: () => boolean
}

/** An expression ready to run, as often as wanted and on any values: it holds no state. */
export interface Program {
  evaluate(activation: Activation, options?: EvaluateOptions): Outcome
}

/** The program of an expression whose types fit, or what is wrong with values that it computes beforehand: `int('x')`. */
export function makeProgram(checked: Checked, environment: Environment): Program | { readonly fault: string } {
  const planner = new Planner(checked, environment)
  const planned = planner.plan()
  if (isError(planned)) return { fault: planned.message }
  const { slots } = planner
  return {
    evaluate(activation, { limit = PER_CALL_LIMIT, interrupted } = {}) {
      const frame = new Frame(activation, slots, limit, interrupted)
      try {
        const value = planned(frame)
        return isError(value) ? { error: value.message, isLimit: false, cost: frame.cost } : { value, cost: frame.cost }
      } catch (fault) {
        if (fault instanceof CostLimitExceeded) return { error: fault.message, isLimit: true, cost: frame.cost }
        throw fault
      }
    },
  }
}
