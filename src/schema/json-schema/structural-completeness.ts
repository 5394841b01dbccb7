import { isStepDone, type Steps } from '../../lib/steps.ts'
import { type FieldError, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { itemsSchema, type JsonSchemaProps, propertySchema } from './props.ts'

/**
 * Members and items that only a junctor of the root names: the root's own schema must name them, too. (Junctors further down are not looked at, as upstream does not
 * either.) In steps.
 */
export const completenessErrors = (schema: JsonSchemaProps, path: FieldPath): Steps<FieldError[]> => junctorErrors(schema, schema, path, path)

/** `narrowing` stands at `at` and narrows `schema`, which stands at `path`. */
function* junctorErrors(narrowing: JsonSchemaProps, schema: JsonSchemaProps, path: FieldPath, at: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (narrowing.not) errors.push(...(yield* clauseErrors(narrowing.not, schema, path, at.child('not'))))
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [i, clause] of (narrowing[name] ?? []).entries()) errors.push(...(yield* clauseErrors(clause, schema, path, at.child(name).index(i))))
  }
  return errors
}

/** `schema`: what the root says of the place of the clause; undefined: nothing. */
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
