import { type AdmissionParts, admissionEnvironment } from '../../cel/admission-environment.ts'
import { compileInSteps } from '../../cel/compile.ts'
import { baseEnvironment, EVERY_RELEASE } from '../../cel/environment.ts'
import { makeProgramInSteps, type Program } from '../../cel/program/program.ts'
import { DYN, sameType, type Type, typeText } from '../../cel/type.ts'
import type { Steps } from '../../lib/steps.ts'

/** A compiled expression of a webhook or policy, or its compilation error in upstream's words. */
export type CompiledExpression = { readonly expression: string; readonly type: Type } & (
  | { readonly program: Program }
  | { readonly fault: string }
)

/**
 * Environment of stored expressions: it includes the libraries of every release, because an older or newer release may
 * have validated them.
 */
const STORED = baseEnvironment(EVERY_RELEASE)

/** Compiles an expression. @param results allowed result types. Default: any. */
export function* compileExpression(expression: string, parts: AdmissionParts, results?: readonly Type[]): Steps<CompiledExpression> {
  const environment = admissionEnvironment(STORED, parts)
  const { checked, issues } = yield* compileInSteps(expression, environment)
  if (!checked) return { expression, type: DYN, fault: `compilation failed: ${issues}` }
  const type = checked.result
  if (results && !results.some(result => sameType(result, type))) return { expression, type: DYN, fault: wrongType(results, type) }
  const program = yield* makeProgramInSteps(checked, environment)
  return 'fault' in program ? { expression, type, fault: `program instantiation failed: ${program.fault}` } : { expression, type, program }
}

/** Error for a wrong result type, in upstream's words. */
export function wrongType(wanted: readonly Type[], got: Type): string {
  const [first = '', ...more] = wanted.map(typeText)
  return `must evaluate to ${more.length === 0 ? first : `one of [${[first, ...more].join(' ')}]`} but got ${typeText(got)}`
}
