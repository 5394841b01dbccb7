import type { Release } from '../../../lifecycle/release.ts'
import { type FieldError, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { ClaimExpression, ExpressionCompiler, ExpressionVariable } from './expressions.ts'

/** Rules for validating an authentication configuration. */
export interface ValidationRules {
  /** Determines messages and limits. */
  readonly release: Release
  /** Gate StructuredAuthenticationConfiguration. Without it only what flags can express is allowed. */
  readonly structured: boolean
  /** Gate AnonymousAuthConfigurableEndpoints. */
  readonly anonymousEndpoints: boolean
  /** Gate StructuredAuthenticationConfigurationEgressSelector. */
  readonly egressSelector: boolean
  /** Issuers of the server's own tokens. */
  readonly disallowedIssuers: readonly string[]
  readonly compiler: ExpressionCompiler
}

/** End of error messages about fields that require the gate. */
export const WITHOUT_GATE = 'not supported when StructuredAuthenticationConfiguration feature gate is disabled'

/** Validation result of a part: errors and compiled expressions. */
export interface Validated<T> {
  readonly errors: FieldError[]
  readonly compiled: T
}

/** Compiles an expression. Appends its error to `errors`. */
export function compiledOrError(
  { compiler }: ValidationRules,
  { expression, subject, result }: { readonly expression: string; readonly subject: ExpressionVariable; readonly result: 'any' | 'bool' },
  path: FieldPath,
  errors: FieldError[],
): ClaimExpression | undefined {
  const compiled = compiler.compile(expression, subject, result)
  if (!('fault' in compiled)) return compiled
  errors.push(invalid(path, expression, compiled.fault))
  return undefined
}
