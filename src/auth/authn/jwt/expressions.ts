import type { Expr } from '../../../cel/ast.ts'
import { claimsEnvironment, userEnvironment } from '../../../cel/authentication-environment.ts'
import { compile } from '../../../cel/compile.ts'
import { baseEnvironment, type Environment, EVERY_RELEASE } from '../../../cel/environment.ts'
import { makeProgram, type Program } from '../../../cel/program/program.ts'
import { runProgram } from '../../../cel/program/run.ts'
import { BOOL, sameType } from '../../../cel/type.ts'
import type { Value } from '../../../cel/values/value.ts'
import { SHARED_TURNS } from '../../../lib/turn.ts'

/** Variable of an expression. */
export type ExpressionVariable = 'claims' | 'user'

/** Compiled expression. */
export interface ClaimExpression {
  readonly expression: string
  readonly subject: ExpressionVariable
  readonly program: Program
  readonly root: Expr
}

/** Compiles expressions. CEL environments are created on first use. */
export interface ExpressionCompiler {
  /**
   * Compiles an expression. @param result required type. `any` is checked at evaluation. `fault` is upstream's error
   * message.
   */
  compile(expression: string, subject: ExpressionVariable, result: 'any' | 'bool'): ClaimExpression | { readonly fault: string }
}

/** Creates a compiler. One is shared by all expressions of a configuration. */
export function expressionCompiler(): ExpressionCompiler {
  const environments = new Map<ExpressionVariable, Environment>()
  const environmentOf = (subject: ExpressionVariable): Environment => {
    const known = environments.get(subject)
    if (known) return known
    const base = baseEnvironment(EVERY_RELEASE)
    const made = subject === 'claims' ? claimsEnvironment(base) : userEnvironment(base)
    environments.set(subject, made)
    return made
  }
  return {
    compile(expression, subject, result) {
      const environment = environmentOf(subject)
      const { checked, issues } = compile(expression, environment)
      if (checked === undefined) return { fault: `compilation failed: ${issues}` }
      if (result === 'bool' && !sameType(checked.result, BOOL)) return { fault: 'must evaluate to bool' }
      const program = makeProgram(checked, environment)
      if ('fault' in program) return { fault: `program instantiation failed: ${program.fault}` }
      return { expression, subject, program, root: checked.ast.root }
    },
  }
}

/** Evaluates an expression. Throws an Error with upstream's message. */
export async function evaluate({ expression, subject, program }: ClaimExpression, value: Value): Promise<Value> {
  if (SHARED_TURNS.spent()) await SHARED_TURNS.next()
  const outcome = await runProgram(program, { get: name => (name === subject ? value : undefined) }, SHARED_TURNS)
  if (outcome.error !== undefined) throw new Error(`expression '${expression}' resulted in error: ${outcome.error}`)
  return outcome.value
}
