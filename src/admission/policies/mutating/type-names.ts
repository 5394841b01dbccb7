import { ValueMap } from '../../../cel/values/map.ts'
import { StructValue } from '../../../cel/values/struct.ts'
import type { Value } from '../../../cel/values/value.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { MutationError } from './mutation-error.ts'
import { isLiteralList } from './plain-values.ts'

/**
 * Checks that the type names of structs match their paths: the value of `spec.template` in an `Object` must be an
 * `Object.spec.template`. List elements and map values have the path of their container. Expressions are compiled
 * without a schema, so no other check finds a misspelt type. Throws a MutationError. Runs in steps.
 */
export function* checkTypeNames(root: StructValue): Steps<void> {
  const errors: string[] = []
  yield* checkNames(root, root.typeName, errors)
  if (errors.length > 0) throw new MutationError(`type mismatch: ${errors.join('\n')}`)
}

/** Compares the type name of a value and of everything below it with the path. Collects errors. */
function* checkNames(value: Value, expected: string, errors: string[]): Steps<void> {
  if (isStepDone()) yield
  if (value instanceof StructValue) {
    if (value.typeName !== expected)
      errors.push(
        `unexpected type name ${JSON.stringify(value.typeName)}, expected "${expected}", which matches field name path from root Object type`,
      )
    for (const [name, field] of value.fields) yield* checkNames(field, `${expected}.${name}`, errors)
  } else if (isLiteralList(value)) for (let i = 0; i < value.size; i++) yield* checkNames(value.at(i), expected, errors)
  else if (value instanceof ValueMap) for (const key of value.keys()) yield* checkNames(value.find(key) ?? null, expected, errors)
}
