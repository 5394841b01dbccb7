import { childrenOf, type Expr } from '../../../cel/ast.ts'
import { OPTIONAL_SELECT } from '../../../cel/operators.ts'

/** Whether an expression asks for a claim by its name: `claims.email`, `claims.?email`, `has(claims.email)`. An index, `claims['email']`, is not seen, as upstream does not see it. */
export function usesClaim(expr: Expr, claim: string): boolean {
  if (expr.kind === 'select' && expr.field === claim && isClaims(expr.operand)) return true
  if (expr.kind === 'call' && expr.name === OPTIONAL_SELECT && expr.target === undefined) {
    const [operand, field] = expr.args
    if (operand && isClaims(operand) && field?.kind === 'literal' && field.literal.value === claim) return true
  }
  return childrenOf(expr).some(child => usesClaim(child, claim))
}

const isClaims = (expr: Expr): boolean => expr.kind === 'ident' && expr.name === 'claims'
