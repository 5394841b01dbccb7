import { type Detail, duplicate, type FieldError, invalid, required, tooMany } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { JsonSchemaProps } from '../../../schema/json-schema/props.ts'
import { followSchemaPath, SchemaPathError } from '../../../schema/json-schema/schema-path.ts'
import { structuralFault } from '../../../schema/json-schema/structural-form.ts'

const MAX_FIELDS = 8
const TYPES: readonly (string | undefined)[] = ['string', 'boolean', 'integer']

type Fields = readonly { readonly jsonPath: string }[]

/**
 * Fields by which a list or a watch may select objects: up to eight texts, booleans and integers outside of metadata. Source: KEP-4358.
 * `schema`: of all versions, or of the one whose fields they are. `schemaPath`: for faults in the form of the schema. `absent`: what is said of fields without a
 * schema.
 */
export function validateSelectableFields(
  fields: Fields = [],
  schema: JsonSchemaProps | undefined,
  path: FieldPath,
  schemaPath: FieldPath,
  absent: Detail,
): FieldError[] {
  if (fields.length === 0) return []
  const at = path.child('selectableFields')
  if (schema === undefined) return [invalid(at, '', absent)]
  const fault = structuralFault(schema)
  // Without a structural form no path leads anywhere, and upstream reports both.
  if (fault !== undefined) return [invalid(schemaPath, '', fault), ...fieldErrors(fields, {}, at)]
  return fieldErrors(fields, schema, at)
}

/** Fields are counted by the distinct places to which they lead; those whose path is invalid do not count. */
function fieldErrors(fields: Fields, schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, { jsonPath }] of fields.entries()) {
    const at = path.index(i).child('jsonPath')
    if (!jsonPath) errors.push(required(at))
    else errors.push(...fieldError(jsonPath, schema, at, seen))
  }
  return seen.size > MAX_FIELDS ? [...errors, tooMany(path, seen.size, MAX_FIELDS)] : errors
}

function fieldError(jsonPath: string, schema: JsonSchemaProps, at: FieldPath, seen: Set<string>): FieldError[] {
  try {
    const place = followSchemaPath(jsonPath, schema, false)
    const errors: FieldError[] = []
    if (place.root === 'metadata') errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'))
    if (!TYPES.includes(place.schema?.type)) {
      const text = 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
      errors.push(invalid(at, jsonPath, text))
    }
    if (seen.has(place.path.text)) errors.push(duplicate(at, jsonPath))
    seen.add(place.path.text)
    return errors
  } catch (error) {
    if (error instanceof SchemaPathError) return [invalid(at, jsonPath, `is an invalid path: ${error.message}`)]
    throw error
  }
}
