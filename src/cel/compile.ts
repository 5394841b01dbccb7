import { type Checked, check } from './checker.ts'
import type { Environment } from './environment.ts'
import type { Issues } from './issues.ts'
import { checkLiterals } from './literal-checks.ts'
import { parse } from './parser.ts'

/** The expression, understood, if there are no issues. */
export type Compiled = { readonly issues: Issues; readonly checked?: Checked }

/** Reads an expression and finds its types. It never throws: what is wrong is in the issues. */
export function compile(text: string, environment: Environment): Compiled {
  const { issues, ast } = parse(text, { macros: environment.macros, optionalSyntax: environment.functions.has('optional.of') })
  if (!ast) return { issues }
  const checked = check(ast, environment, issues)
  if (issues.count === 0) checkLiterals(checked, issues)
  return issues.count === 0 ? { issues, checked } : { issues }
}
