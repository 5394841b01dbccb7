import { type FieldError, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { itemsSchema, type JsonSchemaProps, propertySchema } from './props.ts'

/**
 * Members and items that only a junctor of the root names: the root's own schema must name them, too. (Junctors further down are not looked at, as upstream does not
 * either.)
 */
export const completenessErrors = (schema: JsonSchemaProps, path: FieldPath): FieldError[] => junctorErrors(schema, schema, path, path)

/** `narrowing` stands at `at` and narrows `schema`, which stands at `path`. */
function junctorErrors(narrowing: JsonSchemaProps, schema: JsonSchemaProps, path: FieldPath, at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (narrowing.not) errors.push(...clauseErrors(narrowing.not, schema, path, at.child('not')))
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [i, clause] of (narrowing[name] ?? []).entries()) errors.push(...clauseErrors(clause, schema, path, at.child(name).index(i)))
  }
  return errors
}

/** `schema`: what the root says of the place of the clause; undefined: nothing. */
function clauseErrors(clause: JsonSchemaProps, schema: JsonSchemaProps | undefined, path: FieldPath, at: FieldPath): FieldError[] {
  if (schema === undefined) return [required(path, `because it is defined in ${at}`)]
  const errors = junctorErrors(clause, schema, path, at)
  const items = itemsSchema(clause)
  if (items) errors.push(...clauseErrors(items, itemsSchema(schema), path.child('items'), at.child('items')))
  for (const [name, property] of Object.entries(clause.properties ?? {})) {
    errors.push(...clauseErrors(property, propertySchema(schema, name), path.child('properties').key(name), at.child('properties').key(name)))
  }
  return errors
}
