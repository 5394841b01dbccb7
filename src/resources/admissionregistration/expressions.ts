import { wrongType } from '../../admission/expressions/compiled-expression.ts'
import { type AdmissionParts, admissionEnvironment } from '../../cel/admission-environment.ts'
import { compileInSteps } from '../../cel/compile.ts'
import { baseEnvironment } from '../../cel/environment.ts'
import { programFault } from '../../cel/program-fault.ts'
import { sameType, type Type } from '../../cel/type.ts'
import type { Steps } from '../../lib/steps.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { invalid } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'

/** How an expression is used. */
export interface ExpressionUse extends AdmissionParts {
  /** Types that it may give; any, if absent. */
  readonly results?: readonly Type[]
  /** The oldest release that must understand it. */
  readonly minor: number
}

/** What is wrong with an expression, in upstream's words, or the type of what it gives. */
export type Understood = { readonly fault: string } | { readonly fault?: never; readonly type: Type }

/** In steps: a policy may have very many expressions, and each may be long. */
export function* understand(expression: string, { results, minor, ...parts }: ExpressionUse): Steps<Understood> {
  const environment = admissionEnvironment(baseEnvironment(minor), parts)
  const { issues, checked } = yield* compileInSteps(expression, environment)
  if (!checked) return { fault: `compilation failed: ${issues}` }
  const type = checked.result
  if (!results || results.some(result => sameType(result, type))) {
    const fault = yield* programFault(checked, environment)
    return fault === undefined ? { type } : { fault: `program instantiation failed: ${fault}` }
  }
  return { fault: wrongType(results, type) }
}

/** @param shown the value that the error prints, if it is not the expression that was read. */
export function* validateExpression(expression: string, use: ExpressionUse, path: FieldPath, shown = expression): Steps<FieldError[]> {
  const { fault } = yield* understand(expression, use)
  return fault === undefined ? [] : [invalid(path, shown, fault)]
}

/** The texts of one member of some structs of an old object: what it stores already. */
export const storedTexts = <K extends string>(structs: readonly Readonly<Partial<Record<K, string>>>[] | null | undefined, member: K): ReadonlySet<string> =>
  new Set((structs ?? []).map(struct => struct[member]).filter(text => text !== undefined))
