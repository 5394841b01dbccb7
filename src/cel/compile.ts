import { runAtOnce, type Steps } from '../lib/steps.ts'
import type { Checked } from './checked.ts'
import { checkTypes } from './checker.ts'
import type { Environment } from './environment.ts'
import type { Issues } from './issues.ts'
import { checkLiterals } from './literal-checks.ts'
import { parseExpression } from './parser.ts'

/** Outcome of a compilation. `checked` is set if there are no issues. */
export type Compiled = { readonly issues: Issues; readonly checked?: Checked }

/** Compiles an expression without yielding, for callers that cannot be interrupted. Otherwise use `compileInSteps`. */
export const compile = (text: string, environment: Environment): Compiled => runAtOnce(compileInSteps(text, environment))

/**
 * Parses and type-checks an expression, in steps of some hundred nodes, because an expression may have 100,000
 * characters. Never throws: errors are reported as issues.
 */
export function* compileInSteps(text: string, environment: Environment): Steps<Compiled> {
  const { issues, ast } = yield* parseExpression(text, {
    macros: environment.macros,
    optionalSyntax: environment.functions.has('optional.of'),
  })
  if (!ast) return { issues }
  const checked = yield* checkTypes(ast, environment, issues)
  if (issues.count === 0) yield* checkLiterals(checked, issues)
  return issues.count === 0 ? { issues, checked } : { issues }
}
