import { childrenOf, type Expr } from '../../../cel/ast.ts'
import { OPTIONAL_SELECT } from '../../../cel/operators.ts'

/**
 * Whether an expression selects a claim by name: `claims.email`, `claims.?email` or `has(claims.email)`. As upstream, ignores index expressions such as
 * `claims['email']`.
 */
export function usesClaim(expr: Expr, claim: string): boolean {
  if (expr.kind === 'select' && expr.field === claim && isClaims(expr.operand)) return true
  if (expr.kind === 'call' && expr.name === OPTIONAL_SELECT && expr.target === undefined) {
    const [operand, field] = expr.args
    if (operand && isClaims(operand) && field?.kind === 'literal' && field.literal.value === claim) return true
  }
  return childrenOf(expr).some(child => usesClaim(child, claim))
}

const isClaims = (expr: Expr): boolean => expr.kind === 'ident' && expr.name === 'claims'
