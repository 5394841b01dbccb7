import { compile } from '../../cel/compile.ts'
import { baseEnvironment, type Environment, EVERY_RELEASE } from '../../cel/environment.ts'
import { makeProgram, type Program } from '../../cel/program/program.ts'
import type { Value } from '../../cel/values/value.ts'

/** Longest expression, in characters: it is compiled in some milliseconds. */
const MAX_LENGTH = 10_000
/** Cost limit of an evaluation: some milliseconds. */
const COST_LIMIT = 50_000

/** Thrown for an expression that does not compile, or whose evaluation fails. The message is cel-go's. */
export class CelExpressionError extends Error {
  override readonly name = 'CelExpressionError'
}

/** Functions and types of every expression. */
export const CEL_BASE: Environment = baseEnvironment(EVERY_RELEASE)

/** A compiled expression. It holds no state. */
export interface CelExpression {
  /** Evaluates with the values of the variables. Throws CelExpressionError. */
  evaluate(variables: ReadonlyMap<string, Value>): Value
}

/** Compiles an expression. Throws CelExpressionError. */
export function compileCel(text: string, environment: Environment): CelExpression {
  if (text.length > MAX_LENGTH) throw new CelExpressionError(`an expression may have at most ${MAX_LENGTH} characters`)
  const { checked, issues } = compile(text, environment)
  if (checked === undefined) throw new CelExpressionError(issues.toString())
  const program: Program | { readonly fault: string } = makeProgram(checked, environment)
  if ('fault' in program) throw new CelExpressionError(program.fault)
  return {
    evaluate(variables) {
      const outcome = program.evaluate(variables, { limit: COST_LIMIT })
      if (outcome.error !== undefined) throw new CelExpressionError(outcome.error)
      return outcome.value
    },
  }
}
