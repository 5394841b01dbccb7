import type { FieldError } from '../../meta/field-error.ts'
import { invalid, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import type { KubeObject } from '../../meta/object.ts'

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const RESERVED = new Set('true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '))

/** The named expressions of a policy; what they say waits for a compiler of CEL. */
export function validateVariables(variables: readonly KubeObject['spec'][] = [], path: FieldPath): FieldError[] {
  return variables.flatMap(({ name = '', expression = '' }, i) => {
    const at = path.index(i)
    const errors: FieldError[] = []
    if (name.trim() === '') errors.push(required(at.child('name'), 'name is not specified'))
    else if (!IDENTIFIER.test(name) || RESERVED.has(name)) errors.push(invalid(at.child('name'), name, 'name is not a valid CEL identifier'))
    if (expression.trim() === '') errors.push(required(at.child('expression'), 'expression is not specified'))
    return errors
  })
}
