import type { Steps } from '../lib/steps.ts'
import type { Checked } from './checked.ts'
import type { Environment } from './environment.ts'
import { makeProgramInSteps } from './program/program.ts'

/**
 * Returns the error that prevents a well-typed expression from becoming a program, such as an invalid regular
 * expression or a constant subexpression that fails. Undefined if there is none.
 */
export function* programFault(checked: Checked, environment: Environment): Steps<string | undefined> {
  const program = yield* makeProgramInSteps(checked, environment)
  return 'fault' in program ? program.fault : undefined
}
