import type { Activation } from './frame.ts'
import { ValuePending } from './pending.ts'
import type { EvaluateOptions, Outcome, Program, Turns } from './program.ts'

/** Evaluates in turns, and waits for pending values. Returns an Outcome synchronously if no waiting is necessary. */
export function runProgram(program: Program, activation: Activation, turns: Turns, options: EvaluateOptions = {}): Outcome | Promise<Outcome> {
  const later = async (fault: unknown): Promise<Outcome> => {
    if (!(fault instanceof ValuePending)) throw fault
    await fault.ready
    return runProgram(program, activation, turns, options)
  }
  try {
    const outcome = program.evaluateInTurns(activation, turns, options)
    return outcome instanceof Promise ? outcome.catch(later) : outcome
  } catch (fault) {
    return later(fault)
  }
}
