import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { type FieldError, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { itemsSchema, propertySchema } from './props.ts'

/**
 * Returns errors, in steps, for members and items that a junctor of the root names and the root's own schema does not.
 * Nested junctors are not checked, as upstream does not either.
 */
export const completenessErrors = (schema: JsonSchemaProps, path: FieldPath): Steps<FieldError[]> =>
  junctorErrors(schema, schema, path, path)

/** Checks the junctors of `narrowing`, which is at `at` and narrows `schema` at `path`. */
function* junctorErrors(narrowing: JsonSchemaProps, schema: JsonSchemaProps, path: FieldPath, at: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (narrowing.not) errors.push(...(yield* clauseErrors(narrowing.not, schema, path, at.child('not'))))
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [i, clause] of (narrowing[name] ?? []).entries())
      errors.push(...(yield* clauseErrors(clause, schema, path, at.child(name).index(i))))
  }
  return errors
}

/** Checks a clause. `schema`: the root's schema for the clause's position; undefined if it has none. */
function* clauseErrors(clause: JsonSchemaProps, schema: JsonSchemaProps | undefined, path: FieldPath, at: FieldPath): Steps<FieldError[]> {
  if (isStepDone()) yield
  if (schema === undefined) return [required(path, `because it is defined in ${at}`)]
  const errors = yield* junctorErrors(clause, schema, path, at)
  const items = itemsSchema(clause)
  if (items) errors.push(...(yield* clauseErrors(items, itemsSchema(schema), path.child('items'), at.child('items'))))
  for (const [name, property] of Object.entries(clause.properties ?? {})) {
    const inner = clauseErrors(property, propertySchema(schema, name), path.child('properties').key(name), at.child('properties').key(name))
    errors.push(...(yield* inner))
  }
  return errors
}
