import type { Checked } from './checker.ts'
import type { Environment } from './environment.ts'
import { makeProgram } from './program/program.ts'

/** Why a program cannot be made of an expression whose types fit: a literal that is computed beforehand and comes to an error, a pattern that is none. */
export function programFault(checked: Checked, environment: Environment): string | undefined {
  const program = makeProgram(checked, environment)
  return 'fault' in program ? program.fault : undefined
}
