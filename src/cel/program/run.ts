import { type Awaitable, recover } from '../../lib/awaitable.ts'
import type { Activation } from './frame.ts'
import { ValuePending } from './pending.ts'
import type { EvaluateOptions, Program, ProgramOutcome, Turns } from './program.ts'

/** Evaluates in turns, and waits for pending values. Returns an Outcome synchronously if no waiting is necessary. */
export function runProgram(
  program: Program,
  activation: Activation,
  turns: Turns,
  options: EvaluateOptions = {},
): Awaitable<ProgramOutcome> {
  const later = async (fault: unknown): Promise<ProgramOutcome> => {
    if (!(fault instanceof ValuePending)) throw fault
    await fault.ready
    return runProgram(program, activation, turns, options)
  }
  try {
    return recover(program.evaluateInTurns(activation, turns, options), later)
  } catch (fault) {
    return later(fault)
  }
}
