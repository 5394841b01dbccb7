import type { Release } from '../../../lifecycle/release.ts'
import { type FieldError, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { ClaimExpression, ExpressionCompiler, Subject } from './expressions.ts'

/** By what a configuration is judged. */
export interface ValidationRules {
  /** Whose texts and bounds count. */
  readonly release: Release
  /** The gate StructuredAuthenticationConfiguration: without it there is what flags can say, and no more. */
  readonly structured: boolean
  /** The gate AnonymousAuthConfigurableEndpoints. */
  readonly anonymousEndpoints: boolean
  /** The gate StructuredAuthenticationConfigurationEgressSelector. */
  readonly egressSelector: boolean
  /** Those of the server's own tokens. */
  readonly disallowedIssuers: readonly string[]
  readonly compiler: ExpressionCompiler
}

/** The end of texts about what a gate has to allow. */
export const WITHOUT_GATE = 'not supported when StructuredAuthenticationConfiguration feature gate is disabled'

/** What was found of one issuer's part, and its expressions. */
export interface Validated<T> {
  readonly errors: FieldError[]
  readonly compiled: T
}

/** Compiles an expression; its fault is added to the errors. */
export function compiledOrError(
  { compiler }: ValidationRules,
  { expression, subject, result }: { readonly expression: string; readonly subject: Subject; readonly result: 'any' | 'bool' },
  path: FieldPath,
  errors: FieldError[],
): ClaimExpression | undefined {
  const compiled = compiler.compile(expression, subject, result)
  if (!('fault' in compiled)) return compiled
  errors.push(invalid(path, expression, compiled.fault))
  return undefined
}
