import { type AdmissionParts, admissionEnvironment } from '../../cel/admission-environment.ts'
import { compileInSteps } from '../../cel/compile.ts'
import { baseEnvironment, EVERY_RELEASE } from '../../cel/environment.ts'
import { makeProgramInSteps, type Program } from '../../cel/program/program.ts'
import { DYN, sameType, type Type, typeText } from '../../cel/type.ts'
import type { Steps } from '../../lib/steps.ts'

/** An expression of a webhook or a policy, ready to run; or why it is not, in upstream's words. */
export type CompiledExpression = { readonly expression: string; readonly type: Type } & ({ readonly program: Program } | { readonly fault: string })

/** What is stored was understood by some release. */
const STORED = baseEnvironment(EVERY_RELEASE)

/** @param results types that it may give; any, if absent. */
export function* compileExpression(expression: string, parts: AdmissionParts, results?: readonly Type[]): Steps<CompiledExpression> {
  const environment = admissionEnvironment(STORED, parts)
  const { checked, issues } = yield* compileInSteps(expression, environment)
  if (!checked) return { expression, type: DYN, fault: `compilation failed: ${issues}` }
  const type = checked.result
  if (results && !results.some(result => sameType(result, type))) return { expression, type: DYN, fault: wrongType(results, type) }
  const program = yield* makeProgramInSteps(checked, environment)
  return 'fault' in program ? { expression, type, fault: `program instantiation failed: ${program.fault}` } : { expression, type, program }
}

/** In upstream's words. */
export function wrongType(wanted: readonly Type[], got: Type): string {
  const [first = '', ...more] = wanted.map(typeText)
  return `must evaluate to ${more.length === 0 ? first : `one of [${[first, ...more].join(' ')}]`} but got ${typeText(got)}`
}
