import type { Activation } from '../../cel/program/frame.ts'
import { runProgram } from '../../cel/program/run.ts'
import type { Value } from '../../cel/values/value.ts'
import { SHARED_TURNS } from '../../lib/turn.ts'
import type { CompiledExpression } from './compiled-expression.ts'
import { ComposedVariables } from './composed-variables.ts'

/** Result of one expression: a value, or an error in upstream's words. */
export type ExpressionResult = { readonly seconds: number } & (
  | { readonly value: Value; readonly error?: never }
  | { readonly error: string; readonly value?: never }
)

/**
 * Results of a list of expressions, in its order, and the remaining budget. Entries of absent expressions are
 * undefined. `exhausted`: they exceeded the cost budget, in upstream's words.
 */
export type Evaluated =
  | { readonly results: readonly (ExpressionResult | undefined)[]; readonly remaining: number; readonly exhausted?: never }
  | { readonly exhausted: string }

/** Input of an evaluation: variables and cost budget. */
export interface Evaluation {
  /** Variables of the expressions, except `variables`. */
  readonly values: Activation
  /** Optional. Composed variables of the policy. */
  readonly variables?: ReadonlyMap<string, CompiledExpression>
  /** Cost budget of all expressions together, including the variables they use. */
  readonly budget: number
}

const EXHAUSTED = 'validation failed due to running out of cost budget, no further validation rules will be run'

/** Evaluates expressions in order with shared variables. Yields to the event loop in between. */
export async function evaluateExpressions(
  expressions: readonly (CompiledExpression | undefined)[],
  evaluation: Evaluation,
): Promise<Evaluated> {
  const { values, variables } = evaluation
  const activation: Activation = { get: name => (name === 'variables' ? composed : values.get(name)) }
  const composed = variables && new ComposedVariables(variables, activation)
  const results: (ExpressionResult | undefined)[] = []
  let remaining = evaluation.budget
  for (const compiled of expressions) {
    if (!compiled) results.push(undefined)
    else if ('fault' in compiled) results.push({ error: `compilation error: ${compiled.fault}`, seconds: 0 })
    else {
      if (SHARED_TURNS.spent()) await SHARED_TURNS.next()
      const began = performance.now()
      const { cost, value, error } = await runProgram(compiled.program, activation, SHARED_TURNS)
      remaining -= cost + (composed?.takeCost() ?? 0)
      if (remaining < 0) return { exhausted: EXHAUSTED }
      const seconds = (performance.now() - began) / 1000
      if (error === undefined) results.push({ value, seconds })
      else results.push({ error: `expression '${compiled.expression}' resulted in error: ${error}`, seconds })
    }
  }
  return { results, remaining }
}
