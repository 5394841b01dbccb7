import { ValueMap } from '../../../cel/values/map.ts'
import { StructValue } from '../../../cel/values/struct.ts'
import type { Value } from '../../../cel/values/value.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { MutationError } from './mutation-error.ts'
import { isLiteralList } from './plain-values.ts'

/**
 * Checks that the types of structs are named by the place at which they stand: what is at `spec.template` of an `Object` is an `Object.spec.template`. Elements of lists and values of maps stand where their container does.
 * No other check finds a misspelt type, since expressions are compiled without a schema. Throws a MutationError. In steps.
 */
export function* checkTypeNames(root: StructValue): Steps<void> {
  const errors: string[] = []
  yield* check(root, root.typeName, errors)
  if (errors.length > 0) throw new MutationError(`type mismatch: ${errors.join('\n')}`)
}

function* check(value: Value, expected: string, errors: string[]): Steps<void> {
  if (isStepDone()) yield
  if (value instanceof StructValue) {
    if (value.typeName !== expected)
      errors.push(`unexpected type name ${JSON.stringify(value.typeName)}, expected "${expected}", which matches field name path from root Object type`)
    for (const [name, field] of value.fields) yield* check(field, `${expected}.${name}`, errors)
  } else if (isLiteralList(value)) for (let i = 0; i < value.size; i++) yield* check(value.at(i), expected, errors)
  else if (value instanceof ValueMap) for (const key of value.keys()) yield* check(value.find(key) ?? null, expected, errors)
}
