import { defined } from '../lib/invariant.ts'
import type { Expr, ExprId } from './ast.ts'

/**
 * Joins terms with a logical operator in a balanced tree, as cel-go does: a long chain of operators then stays below
 * the depth limit.
 * @param ids numbers of the calls from left to right, one fewer than terms.
 */
export function balanced(name: string, terms: readonly Expr[], ids: readonly ExprId[]): Expr {
  return balance(name, terms, ids, 0, ids.length - 1)
}

/** Joins the terms from `low` to `high + 1` with the calls from `low` to `high`. */
function balance(name: string, terms: readonly Expr[], ids: readonly ExprId[], low: number, high: number): Expr {
  // No call is left: the range contains a single term.
  if (low > high) return defined(terms[low], 'a term is missing')
  const middle = (low + high + 1) >> 1
  const left = balance(name, terms, ids, low, middle - 1)
  const right = balance(name, terms, ids, middle + 1, high)
  return { kind: 'call', id: defined(ids[middle], 'a call has no id'), name, args: [left, right] }
}
