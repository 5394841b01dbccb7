import type { FieldError } from '../../meta/field-error.ts'
import { duplicate, invalid, required, tooMany } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isQualifiedName } from '../../meta/names.ts'
import type { KubeObject } from '../../meta/object.ts'

const MAX_CONDITIONS = 64

/** Names and presence of the expressions; what they say waits for a compiler of CEL. */
export function validateMatchConditions(conditions: readonly KubeObject['spec'][] = [], path: FieldPath): FieldError[] {
  const errors: FieldError[] = conditions.length > MAX_CONDITIONS ? [tooMany(path, conditions.length, MAX_CONDITIONS)] : []
  const seen = new Set<string>()
  for (const [i, { name = '', expression = '' }] of conditions.entries()) {
    const at = path.index(i)
    if (expression.trim() === '') errors.push(required(at.child('expression')))
    if (name === '') {
      errors.push(required(at.child('name')))
      continue
    }
    errors.push(...isQualifiedName(name).map(text => invalid(at.child('name'), name, text)))
    if (seen.has(name)) errors.push(duplicate(at.child('name'), name))
    seen.add(name)
  }
  return errors
}
