import type { Steps } from '../lib/steps.ts'
import type { Checked } from './checked.ts'
import type { Environment } from './environment.ts'
import { makeProgramInSteps } from './program/program.ts'

/** Why a program cannot be made of an expression whose types fit: a literal that is computed beforehand and comes to an error, a pattern that is none. */
export function* programFault(checked: Checked, environment: Environment): Steps<string | undefined> {
  const program = yield* makeProgramInSteps(checked, environment)
  return 'fault' in program ? program.fault : undefined
}
