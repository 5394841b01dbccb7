import { seenType } from '../../cel/admission-environment.ts'
import { DYN, type Type } from '../../cel/type.ts'
import type { Steps } from '../../lib/steps.ts'
import type { Features } from '../../lifecycle/gates.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { invalid, required, words } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { oldestReader } from '../shared/oldest-reader.ts'
import { understand } from './expressions.ts'
import type { Variable } from './v1.types.ts'

/** Identifiers and reserved words of CEL: https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax. */
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const RESERVED = new Set('true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '))

/** What the variables of a policy may speak of. */
export interface VariableUse {
  readonly params: boolean
  /** Validations of the old object: expressions among them were understood before. */
  readonly stored: ReadonlySet<string>
  readonly features: Features
}

/**
 * The named expressions of a policy, each of which may speak of those before it.
 * @param types filled with the types of the variables, for the expressions that come after.
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
    const found = yield* understand(expression, { params, authorizer: true, variables: types, minor: oldestReader(features, stored.has(expression)) })
    // What uses a variable that does not compile is not refused for it as well: dyn fits everywhere.
    types.set(name, found.fault === undefined ? seenType(found.type) : DYN)
    if (found.fault !== undefined) errors.push(invalid(at.child('expression'), expression, found.fault))
  }
  return errors
}
