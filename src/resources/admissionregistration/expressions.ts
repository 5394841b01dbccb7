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

/** Use of an expression: its environment, its result and the release that has to compile it. */
export interface ExpressionUse extends AdmissionParts {
  /** Optional. Allowed result types. Default: any. */
  readonly results?: readonly Type[]
  /** Minor version of the oldest release that must be able to compile the expression. */
  readonly minor: number
}

/** Result of compiling an expression: its error in upstream's words, or its type. */
export type Understood = { readonly fault: string } | { readonly fault?: never; readonly type: Type }

/** Compiles an expression in steps, as a policy may have many expressions, and each may be long. */
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

/**
 * Validates an expression.
 * @param shown value in the error, if it differs from the compiled text.
 */
export function* validateExpression(expression: string, use: ExpressionUse, path: FieldPath, shown = expression): Steps<FieldError[]> {
  const { fault } = yield* understand(expression, use)
  return fault === undefined ? [] : [invalid(path, shown, fault)]
}

/** Returns the texts of one member in structs of the old object, which are stored already. */
export const storedTexts = <K extends string>(
  structs: readonly Readonly<Partial<Record<K, string>>>[] | null | undefined,
  member: K,
): ReadonlySet<string> => new Set((structs ?? []).map(struct => struct[member]).filter(text => text !== undefined))
