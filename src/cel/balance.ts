import { defined } from '../lib/invariant.ts'
import type { Expr, ExprId } from './ast.ts'

/** Joins terms by calls of a logical operator, as a balanced tree. `ids`: of the calls, one fewer than terms, from the left to the right. */
export function balanced(name: string, terms: readonly Expr[], ids: readonly ExprId[]): Expr {
  return balance(name, terms, ids, 0, ids.length - 1)
}

/** Terms from `low` to `high + 1`, where the calls are those from `low` to `high`. */
function balance(name: string, terms: readonly Expr[], ids: readonly ExprId[], low: number, high: number): Expr {
  // Between two calls stands one term.
  if (low > high) return defined(terms[low], 'a term is missing')
  const middle = (low + high + 1) >> 1
  const left = balance(name, terms, ids, low, middle - 1)
  const right = balance(name, terms, ids, middle + 1, high)
  return { kind: 'call', id: defined(ids[middle], 'a call has no id'), name, args: [left, right] }
}
