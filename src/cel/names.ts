import type { Expr } from './ast.ts'

/** Longer names with dots are declared nowhere, so they are not looked up: each select of a row would be, and the names grow with the row. */
const LONGEST_NAME = 2000

/** A name with dots, where a tree of selects is one. */
export function dottedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name
  if (expr.kind !== 'select' || expr.testOnly) return undefined
  const operand = dottedName(expr.operand)
  return operand === undefined || operand.length > LONGEST_NAME ? undefined : `${operand}.${expr.field}`
}

/** A leading dot asks for the outermost name, which all names are that belong to no loop. */
export const plainName = (name: string): string => (name.startsWith('.') ? name.slice(1) : name)
