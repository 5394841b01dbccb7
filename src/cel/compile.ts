import { runAtOnce, type Steps } from '../lib/steps.ts'
import type { Checked } from './checked.ts'
import { check } from './checker.ts'
import type { Environment } from './environment.ts'
import type { Issues } from './issues.ts'
import { checkLiterals } from './literal-checks.ts'
import { parse } from './parser.ts'

/** The expression, understood, if there are no issues. */
export type Compiled = { readonly issues: Issues; readonly checked?: Checked }

/** What `compileInSteps` does, at once: for expressions whose compilation nothing may come between. */
export const compile = (text: string, environment: Environment): Compiled => runAtOnce(compileInSteps(text, environment))

/** Reads an expression and finds its types, in steps of some hundred nodes: an expression may have 100,000 characters. It never throws: what is wrong is in the issues. */
export function* compileInSteps(text: string, environment: Environment): Steps<Compiled> {
  const { issues, ast } = yield* parse(text, { macros: environment.macros, optionalSyntax: environment.functions.has('optional.of') })
  if (!ast) return { issues }
  const checked = yield* check(ast, environment, issues)
  if (issues.count === 0) yield* checkLiterals(checked, issues)
  return issues.count === 0 ? { issues, checked } : { issues }
}
