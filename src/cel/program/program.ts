import { runAtOnce, type Steps } from '../../lib/steps.ts'
import type { Checked } from '../checked.ts'
import type { Environment } from '../environment.ts'
import { withLongWork } from '../long-work.ts'
import { type CelError, isError, type Value } from '../values/value.ts'
import { CostLimitExceeded, withBoundedWork } from '../work.ts'
import { type Activation, type Evaluate, Frame, SUSPENDED } from './frame.ts'
import { Planner } from './planner.ts'

/** What one call may cost (Kubernetes, "Resource constraints"). */
export const PER_CALL_LIMIT = 1_000_000

/** What came of an evaluation, and what it cost. */
export type Outcome = { readonly cost: number } & (
  | { readonly value: Exclude<Value, CelError>; readonly error?: undefined }
  /** In cel-go's words. Exceeding the limit ends everything: `isLimit` distinguishes it from what an expression may come to. */
  | { readonly error: string; readonly isLimit: boolean; readonly value?: undefined }
)

export interface EvaluateOptions {
  /** Default: PER_CALL_LIMIT. */
  readonly limit?: number
  /** Asked at every hundredth iteration: true ends the evaluation with an error. */
  readonly interrupted?: () => boolean
}

/** The event loop, of which an evaluation takes its turns. */
export interface Turns {
  /** Whether this turn has had its share. */
  readonly spent: () => boolean
  readonly next: () => Promise<void>
}

/** An expression ready to run, as often as wanted and on any values: it holds no state. */
export interface Program {
  evaluate(activation: Activation, options?: EvaluateOptions): Outcome
  /** As evaluate, but between rounds of loops it leaves the event loop to others. At once where one turn is enough. */
  evaluateInTurns(activation: Activation, turns: Turns, options?: EvaluateOptions): Outcome | Promise<Outcome>
}

/** A program, or the error of a part that is computed beforehand: `int('x')`. */
type Made = Program | { readonly fault: string }

/** Makes a program at once, for expressions that are not from clients. */
export const makeProgram = (checked: Checked, environment: Environment): Made => runAtOnce(makeProgramInSteps(checked, environment))

/** Makes the program of a checked expression, in steps. */
export function* makeProgramInSteps(checked: Checked, environment: Environment): Steps<Made> {
  const planner = new Planner(checked, environment)
  const planned = yield* planner.plan()
  if (isError(planned)) return { fault: planned.message }
  const { slots } = planner
  const frameOf = (activation: Activation, { limit = PER_CALL_LIMIT, interrupted }: EvaluateOptions, spent?: () => boolean): Frame =>
    new Frame(activation, slots, { limit, interrupted, spent })
  return {
    evaluate: (activation, options = {}) => outcomeOf(planned, frameOf(activation, options)),
    evaluateInTurns(activation, turns, options = {}) {
      const frame = frameOf(activation, options, turns.spent)
      const outcome = outcomeOrPause(planned, frame)
      return outcome ?? remaining(planned, frame, turns)
    },
  }
}

/** Errors of the expression are outcomes; any other exception is a bug, or a value that is not there yet. */
function outcomeOf(planned: Evaluate, frame: Frame): Outcome {
  try {
    const value = withBoundedWork(() => withLongWork(frame, () => planned(frame)))
    return isError(value) ? { error: value.message, isLimit: false, cost: frame.cost } : { value, cost: frame.cost }
  } catch (fault) {
    if (fault instanceof CostLimitExceeded) return { error: fault.message, isLimit: true, cost: frame.cost }
    throw fault
  }
}

/** Undefined where the evaluation was suspended. */
function outcomeOrPause(planned: Evaluate, frame: Frame): Outcome | undefined {
  try {
    return outcomeOf(planned, frame)
  } catch (fault) {
    if (fault === SUSPENDED) return undefined
    throw fault
  }
}

/** Goes on after each turn until it is done: the frame knows what was computed. */
async function remaining(planned: Evaluate, frame: Frame, { next }: Turns): Promise<Outcome> {
  for (;;) {
    await next()
    frame.resume()
    const outcome = outcomeOrPause(planned, frame)
    if (outcome) return outcome
  }
}
