import type { Activation } from '../../cel/program/frame.ts'
import { runProgram } from '../../cel/program/run.ts'
import type { Value } from '../../cel/values/value.ts'
import { SHARED_TURNS } from '../../lib/turn.ts'
import type { CompiledExpression } from './compiled-expression.ts'
import { ComposedVariables } from './composed-variables.ts'

/** What came of one expression: a value, or an error in upstream's words; and how long it took. */
export type ExpressionResult = { readonly seconds: number } & (
  | { readonly value: Value; readonly error?: never }
  | { readonly error: string; readonly value?: never }
)

/** Of a list of expressions, in its order; undefined where there is none. `exhausted`: together they cost more than they may, in upstream's words. */
export type Evaluated =
  | { readonly results: readonly (ExpressionResult | undefined)[]; readonly remaining: number; readonly exhausted?: never }
  | { readonly exhausted: string }

/** What an evaluation may cost, and what it has cost. */
export interface Evaluation {
  /** What the expressions speak of, but for `variables`. */
  readonly values: Activation
  /** Absent: there are no variables to speak of. */
  readonly variables?: ReadonlyMap<string, CompiledExpression>
  /** What all of them may cost, with the variables they ask for. */
  readonly budget: number
}

const EXHAUSTED = 'validation failed due to running out of cost budget, no further validation rules will be run'

/** Runs expressions one after the other, with variables that they share. It leaves the event loop to others in between. */
export async function evaluateExpressions(expressions: readonly (CompiledExpression | undefined)[], evaluation: Evaluation): Promise<Evaluated> {
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
      const running = runProgram(compiled.program, activation, SHARED_TURNS)
      const { cost, value, error } = running instanceof Promise ? await running : running
      remaining -= cost + (composed?.takeCost() ?? 0)
      if (remaining < 0) return { exhausted: EXHAUSTED }
      const seconds = (performance.now() - began) / 1000
      if (error === undefined) results.push({ value, seconds })
      else results.push({ error: `expression '${compiled.expression}' resulted in error: ${error}`, seconds })
    }
  }
  return { results, remaining }
}
