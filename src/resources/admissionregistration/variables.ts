import type { Variable } from '../../api/admissionregistration/v1.types.ts'
import { seenType } from '../../cel/admission-environment.ts'
import { DYN, type Type } from '../../cel/type.ts'
import type { Steps } from '../../lib/steps.ts'
import type { Features } from '../../lifecycle/gates.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { invalid, required, words } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { oldestReader } from '../shared/oldest-reader.ts'
import { understand } from './expressions.ts'

/** Identifiers and reserved words of CEL: https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax. */
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
)

/** Variables that the variables of a policy may use. */
export interface VariableUse {
  readonly params: boolean
  /** Expressions of the old object's validations, which compiled before. */
  readonly stored: ReadonlySet<string>
  readonly features: Features
}

/**
 * Validates the variables of a policy. Each may use those before it.
 * @param types is filled with the types of the variables, for later expressions.
 */
export function* validateVariables(
  variables: readonly Variable[] = [],
  { params, stored, features }: VariableUse,
  types: Map<string, Type>,
  path: FieldPath,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, { name, expression }] of variables.entries()) {
    const at = path.index(i)
    if (name.trim() === '') errors.push(required(at.child('name'), 'name is not specified'))
    else if (!IDENTIFIER.test(name) || RESERVED.has(name))
      errors.push(invalid(at.child('name'), name, words('name is not a valid CEL identifier', 'must be a valid CEL identifier')))
    yield
    if (expression.trim() === '') {
      errors.push(required(at.child('expression'), 'expression is not specified'))
      continue
    }
    const found = yield* understand(expression, {
      params,
      authorizer: true,
      variables: types,
      minor: oldestReader(features, stored.has(expression)),
    })
    // A variable that does not compile gets the type dyn, so that its uses are not reported as well.
    types.set(name, found.fault === undefined ? seenType(found.type) : DYN)
    if (found.fault !== undefined) errors.push(invalid(at.child('expression'), expression, found.fault))
  }
  return errors
}
