import type { Expr } from './ast.ts'

/** No declared name is longer. Longer ones are not looked up, because each select of a long row would look up a name as long as the row. */
const LONGEST_NAME = 2000

/** The dotted name that a tree of selects spells. Undefined if it spells none, or one that is too long. */
export function dottedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name
  if (expr.kind !== 'select' || expr.testOnly) return undefined
  const operand = dottedName(expr.operand)
  return operand === undefined || operand.length > LONGEST_NAME ? undefined : `${operand}.${expr.field}`
}

/** A name without its leading dot, which selects the outermost scope: all names but those of loops belong to it. */
export const plainName = (name: string): string => (name.startsWith('.') ? name.slice(1) : name)
