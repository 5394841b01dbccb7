import { regexpFault } from '../lib/regexp-syntax.ts'
import { childrenOf, type Expr } from './ast.ts'
import type { Checked } from './checker.ts'

const FINDERS = new Set(['find', 'findAll'])

function faultIn(expr: Expr): string | undefined {
  for (const child of childrenOf(expr)) {
    const fault = faultIn(child)
    if (fault !== undefined) return fault
  }
  if (expr.kind !== 'call' || !expr.target || !FINDERS.has(expr.name)) return undefined
  const [pattern] = expr.args
  const fault = pattern?.kind === 'literal' && pattern.literal.type === 'string' ? regexpFault(pattern.literal.value) : undefined
  return fault === undefined ? undefined : `error parsing regexp: ${fault}`
}

/** Why a program cannot be made of an expression whose types fit: a literal pattern that is none. The values of other literals are not computed here. */
export const programFault = ({ ast }: Checked): string | undefined => faultIn(ast.root)
