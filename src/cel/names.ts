import type { Expr } from './ast.ts'

/**
 * Limit for dotted names, in characters, above the length of every declared name. Without it, each select of a long
 * chain would look up a name as long as the chain.
 */
const LONGEST_NAME = 2000

/**
 * Returns the dotted name that nested selects spell. Undefined for other expressions, and for names that are too long.
 */
export function dottedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name
  if (expr.kind !== 'select' || expr.testOnly) return undefined
  const operand = dottedName(expr.operand)
  return operand === undefined || operand.length > LONGEST_NAME ? undefined : `${operand}.${expr.field}`
}

/** Removes the leading dot, which selects the outermost scope. All names except loop variables belong to that scope. */
export const plainName = (name: string): string => (name.startsWith('.') ? name.slice(1) : name)
