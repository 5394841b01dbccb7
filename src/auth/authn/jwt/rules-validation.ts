import { isSince, type Release } from '../../../lifecycle/release.ts'
import { duplicate, type FieldError, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { ClaimValidationRule, JwtConfiguration } from './configuration.ts'
import type { ClaimExpression } from './expressions.ts'
import { compiledOrError, type Validated, type ValidationRules, WITHOUT_GATE } from './validation-rules.ts'

/** Compiled rule and the message to report if it is false. */
export interface CompiledRule {
  readonly message: string
  readonly compiled: ClaimExpression
}

/** Error for mutually exclusive fields, in the words of the release. */
export const besides = (what: string, other: string, release: Release): string =>
  isSince(release, '1.34') ? `may not be specified when ${other} is set` : `${what} can't be set when ${other} is set`

/** Validates the claim rules. Errors are in kube-apiserver's order and words. */
export function validateClaimRules(
  given: readonly ClaimValidationRule[],
  path: FieldPath,
  rules: ValidationRules,
): Validated<readonly CompiledRule[]> {
  const errors: FieldError[] = []
  const compiled: CompiledRule[] = []
  const claims = new Set<string>()
  const expressions = new Set<string>()
  for (const [i, rule] of given.entries()) {
    const at = path.index(i)
    const { claim, expression, message, requiredValue } = rule
    if (expression !== '' && !rules.structured)
      errors.push(invalid(at.child('expression'), expression, notSupported('expression', rules.release)))
    if (claim !== '' && expression !== '') errors.push(invalid(at, claim, "claim and expression can't both be set"))
    else if (claim !== '') {
      if (message !== '') errors.push(invalid(at.child('message'), message, besides('message', 'claim', rules.release)))
      if (claims.has(claim)) errors.push(duplicate(at.child('claim'), claim))
      claims.add(claim)
    } else if (expression === '') errors.push(required(at, 'claim or expression is required'))
    else {
      if (requiredValue !== '')
        errors.push(invalid(at.child('requiredValue'), requiredValue, besides('requiredValue', 'expression', rules.release)))
      if (expressions.has(expression)) errors.push(duplicate(at.child('expression'), expression))
      else {
        expressions.add(expression)
        const program = compiledOrError(rules, { expression, subject: 'claims', result: 'bool' }, at.child('expression'), errors)
        if (program) compiled.push({ message, compiled: program })
      }
    }
  }
  return { errors, compiled }
}

/** Error for an expression without the feature gate, in the words of the release. */
export const notSupported = (what: string, release: Release): string =>
  isSince(release, '1.34') ? WITHOUT_GATE : `${what} is ${WITHOUT_GATE}`

/** Validates the user rules. Errors are in kube-apiserver's order and words. */
export function validateUserRules(
  given: JwtConfiguration['userValidationRules'],
  path: FieldPath,
  rules: ValidationRules,
): Validated<readonly CompiledRule[]> {
  const errors: FieldError[] = []
  const compiled: CompiledRule[] = []
  if (given.length > 0 && !rules.structured) errors.push(invalid(path, '', `user validation rules are ${WITHOUT_GATE}`))
  const expressions = new Set<string>()
  for (const [i, { expression, message }] of given.entries()) {
    const at = path.index(i).child('expression')
    if (expression === '') errors.push(required(at, isSince(rules.release, '1.34') ? '' : 'expression is required'))
    else if (expressions.has(expression)) errors.push(duplicate(at, expression))
    else {
      expressions.add(expression)
      const program = compiledOrError(rules, { expression, subject: 'user', result: 'bool' }, at, errors)
      if (program) compiled.push({ message, compiled: program })
    }
  }
  return { errors, compiled }
}
