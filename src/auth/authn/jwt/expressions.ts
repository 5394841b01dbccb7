import type { Expr } from '../../../cel/ast.ts'
import { claimsEnvironment, userEnvironment } from '../../../cel/authentication-environment.ts'
import { compile } from '../../../cel/compile.ts'
import { baseEnvironment, type Environment, EVERY_RELEASE } from '../../../cel/environment.ts'
import { makeProgram, type Program } from '../../../cel/program/program.ts'
import { runProgram } from '../../../cel/program/run.ts'
import { BOOL, sameType } from '../../../cel/type.ts'
import type { Value } from '../../../cel/values/value.ts'
import { SHARED_TURNS } from '../../../lib/turn.ts'

/** What an expression speaks of. */
export type Subject = 'claims' | 'user'

/** An expression, ready to run. */
export interface ClaimExpression {
  readonly expression: string
  readonly subject: Subject
  readonly program: Program
  readonly root: Expr
}

/** Compiles expressions; the environments are made when there is one. */
export interface ExpressionCompiler {
  /** `result`: what it has to give; `any`: that is seen when it runs. A fault is in upstream's words. */
  compile(expression: string, subject: Subject, result: 'any' | 'bool'): ClaimExpression | { readonly fault: string }
}

/** One for all expressions of a configuration. */
export function expressionCompiler(): ExpressionCompiler {
  const environments = new Map<Subject, Environment>()
  const environmentOf = (subject: Subject): Environment => {
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

/** Runs it on a value of its subject. Throws an Error in upstream's words. */
export async function evaluate({ expression, subject, program }: ClaimExpression, value: Value): Promise<Value> {
  if (SHARED_TURNS.spent()) await SHARED_TURNS.next()
  const outcome = await runProgram(program, { get: name => (name === subject ? value : undefined) }, SHARED_TURNS)
  if (outcome.error !== undefined) throw new Error(`expression '${expression}' resulted in error: ${outcome.error}`)
  return outcome.value
}
