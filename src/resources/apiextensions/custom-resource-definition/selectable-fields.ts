import type { JsonSchemaProps } from '../../../api/apiextensions/json-schema-props.ts'
import { type Detail, duplicate, type FieldError, invalid, required, tooMany } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { followSchemaPath, SchemaPathError } from '../../../schema/json-schema/schema-path.ts'
import { structuralFault } from '../../../schema/json-schema/structural-form.ts'

const MAX_FIELDS = 8
const TYPES: readonly (string | undefined)[] = ['string', 'boolean', 'integer']

type SelectableFields = readonly { readonly jsonPath: string }[]

/**
 * Validates selectable fields: at most eight strings, booleans and integers outside of metadata. Source: KEP-4358.
 * `schema` is that of all versions, or of the version with the fields. `schemaPath` is the path for errors in the
 * structure of the schema. `absent` is the message for fields without a schema.
 */
export function validateSelectableFields(
  fields: SelectableFields = [],
  schema: JsonSchemaProps | undefined,
  path: FieldPath,
  schemaPath: FieldPath,
  absent: Detail,
): FieldError[] {
  if (fields.length === 0) return []
  const at = path.child('selectableFields')
  if (schema === undefined) return [invalid(at, '', absent)]
  const fault = structuralFault(schema)
  // Without a structural schema no path can be resolved, and upstream reports both errors.
  if (fault !== undefined) return [invalid(schemaPath, '', fault), ...fieldErrors(fields, {}, at)]
  return fieldErrors(fields, schema, at)
}

/** Counts fields by the schema that their path resolves to. Fields with an invalid path do not count. */
function fieldErrors(fields: SelectableFields, schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, { jsonPath }] of fields.entries()) {
    const at = path.index(i).child('jsonPath')
    if (!jsonPath) errors.push(required(at))
    else errors.push(...fieldError(jsonPath, schema, at, seen))
  }
  return seen.size > MAX_FIELDS ? [...errors, tooMany(path, seen.size, MAX_FIELDS)] : errors
}

/**
 * `seen` has the resolved paths, so that two spellings of one path are duplicates. A field with an error counts, too.
 */
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
