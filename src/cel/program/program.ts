import { runAtOnce, type Steps } from '../../lib/steps.ts'
import type { Checked } from '../checked.ts'
import type { Environment } from '../environment.ts'
import { withLongWork } from '../long-work.ts'
import { type CelError, isError, type Value } from '../values/value.ts'
import { CostLimitExceeded, withBoundedWork } from '../work.ts'
import { type Activation, type Evaluate, Frame, SUSPENDED } from './frame.ts'
import { Planner } from './planner.ts'

/** Cost limit of a single evaluation (Kubernetes, "Resource constraints"). */
export const PER_CALL_LIMIT = 1_000_000

/** Result and cost of an evaluation. */
export type ProgramOutcome = { readonly cost: number } & (
  | { readonly value: Exclude<Value, CelError>; readonly error?: undefined }
  /**
   * An error with cel-go's message. `isLimit` is set if the cost limit was exceeded, which no expression can handle.
   */
  | { readonly error: string; readonly isLimit: boolean; readonly value?: undefined }
)

export interface EvaluateOptions {
  /** Optional. Cost limit. Default: PER_CALL_LIMIT. */
  readonly limit?: number
  /** Optional. Called every hundredth round of a loop. If it returns true, the evaluation ends with an error. */
  readonly interrupted?: () => boolean
}

/** Turns of the event loop in which an evaluation runs. */
export interface Turns {
  /** Whether the current turn has used up its time. */
  readonly spent: () => boolean
  readonly next: () => Promise<void>
}

/** An executable expression. It holds no state and can be evaluated any number of times, also concurrently. */
export interface Program {
  evaluate(activation: Activation, options?: EvaluateOptions): ProgramOutcome
  /**
   * Evaluates and yields to the event loop between rounds of loops. Returns an Outcome synchronously if one turn is
   * enough.
   */
  evaluateInTurns(activation: Activation, turns: Turns, options?: EvaluateOptions): ProgramOutcome | Promise<ProgramOutcome>
  /**
   * Evaluates in steps. A step ends when `spent` returns true between rounds of loops, and makes progress in any case.
   */
  evaluateInSteps(activation: Activation, spent: () => boolean, options?: EvaluateOptions): Steps<ProgramOutcome>
}

/** A program, or the error of a part that is evaluated at planning time, such as `int('x')`. */
type Made = Program | { readonly fault: string }

/** Makes a program synchronously, for expressions that do not come from clients. */
export const makeProgram = (checked: Checked, environment: Environment): Made => runAtOnce(makeProgramInSteps(checked, environment))

/** Makes a program in steps. */
export function* makeProgramInSteps(checked: Checked, environment: Environment): Steps<Made> {
  const planner = new Planner(checked, environment)
  const planned = yield* planner.plan()
  if (isError(planned)) return { fault: planned.message }
  const { slots } = planner
  const frameOf = (activation: Activation, { limit = PER_CALL_LIMIT, interrupted }: EvaluateOptions, spent?: () => boolean): Frame =>
    new Frame(activation, slots, { limit, interrupted, spent })
  return {
    evaluate: (activation, options = {}) => evaluatePlan(planned, frameOf(activation, options)),
    evaluateInTurns(activation, turns, options = {}) {
      const frame = frameOf(activation, options, turns.spent)
      const outcome = outcomeOrPause(planned, frame)
      return outcome ?? remaining(planned, frame, turns)
    },
    *evaluateInSteps(activation, spent, options = {}) {
      const frame = frameOf(activation, options, spent)
      for (;;) {
        const outcome = outcomeOrPause(planned, frame)
        if (outcome) return outcome
        yield
        frame.resume()
      }
    },
  }
}

/** Evaluates. Errors of the expression become outcomes; any other exception is a bug or ValuePending. */
function evaluatePlan(planned: Evaluate, frame: Frame): ProgramOutcome {
  try {
    const value = withBoundedWork(() => withLongWork(frame, () => planned(frame)))
    return isError(value) ? { error: value.message, isLimit: false, cost: frame.cost } : { value, cost: frame.cost }
  } catch (fault) {
    if (fault instanceof CostLimitExceeded) return { error: fault.message, isLimit: true, cost: frame.cost }
    throw fault
  }
}

/** Evaluates until the next suspension. Undefined if the evaluation was suspended. */
function outcomeOrPause(planned: Evaluate, frame: Frame): ProgramOutcome | undefined {
  try {
    return evaluatePlan(planned, frame)
  } catch (fault) {
    if (fault === SUSPENDED) return undefined
    throw fault
  }
}

/** Resumes a suspended evaluation in every turn until it finishes. */
async function remaining(planned: Evaluate, frame: Frame, { next }: Turns): Promise<ProgramOutcome> {
  for (;;) {
    await next()
    frame.resume()
    const outcome = outcomeOrPause(planned, frame)
    if (outcome) return outcome
  }
}
