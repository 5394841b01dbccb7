import type { MatchCondition } from '../../api/admissionregistration/v1.types.ts'
import { BOOL } from '../../cel/type.ts'
import type { Steps } from '../../lib/steps.ts'
import type { Features } from '../../lifecycle/gates.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { duplicate, invalid, required, tooMany } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isQualifiedName } from '../../meta/names.ts'
import { oldestReader } from '../shared/oldest-reader.ts'
import { validateExpression } from './expressions.ts'

const MAX_CONDITIONS = 64

/** Variables that conditions may use, and the expressions of the old object's conditions. */
export interface ConditionUse {
  readonly params: boolean
  readonly stored: ReadonlySet<string>
  readonly features: Features
}

/**
 * Validates match conditions. Names must be unique, and each expression must return a bool. Errors of an expression
 * precede those of its name. Yields at least once for each condition.
 */
export function* validateMatchConditions(
  conditions: readonly MatchCondition[] = [],
  { params, stored, features }: ConditionUse,
  path: FieldPath,
): Steps<FieldError[]> {
  const errors: FieldError[] = conditions.length > MAX_CONDITIONS ? [tooMany(path, conditions.length, MAX_CONDITIONS)] : []
  const seen = new Set<string>()
  for (const [i, { name, expression }] of conditions.entries()) {
    const at = path.index(i)
    const text = expression.trim()
    yield
    if (text === '') errors.push(required(at.child('expression')))
    else {
      const use = { params, authorizer: true, results: [BOOL], minor: oldestReader(features, stored.has(text)) }
      errors.push(...(yield* validateExpression(text, use, at.child('expression'))))
    }
    if (name === '') {
      errors.push(required(at.child('name')))
      continue
    }
    errors.push(...isQualifiedName(name).map(why => invalid(at.child('name'), name, why)))
    if (seen.has(name)) errors.push(duplicate(at.child('name'), name))
    seen.add(name)
  }
  return errors
}
