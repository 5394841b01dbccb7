import { type Environment, extend } from '../../../cel/environment.ts'
import { parseType } from '../../../cel/type.ts'
import { CEL_BASE } from '../cel-expression.ts'

let environment: Environment | undefined

/** Returns the environment of expressions in stages: the variable `self` is the object. */
export function stageEnvironment(): Environment {
  environment ??= extend(CEL_BASE, { self: parseType('dyn') })
  return environment
}
