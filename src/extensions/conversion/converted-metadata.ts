import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { printedType } from '../../apply/patch/go-print.ts'
import { aggregate } from '../../lib/aggregate.ts'
import { clone, deepEqual, setMember } from '../../meta/equal.ts'
import { type FieldError, fieldErrorText } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { textIn } from '../../meta/json-members.ts'
import { validateAnnotations, validateLabels } from '../../meta/object-meta-validation.ts'

/** Metadata members that a conversion must not change, with their names in error messages. */
const IDENTITY = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const

/** Throws an Error if the converted object has another identity than the original. */
export function checkIdentity(original: JsonObject, converted: JsonObject): void {
  const before = isJsonObject(original.metadata) ? original.metadata : {}
  const after = isJsonObject(converted.metadata) ? converted.metadata : {}
  for (const [member, called] of IDENTITY) {
    const [expected, got] = [textIn(before[member]), textIn(after[member])]
    if (expected !== got) throw new Error(`must have the same ${called}: ${expected} != ${got}`)
  }
}

/**
 * Returns the original metadata with the labels and annotations of the converted object. Other changes are ignored.
 * Throws an Error if they are invalid.
 */
export function restoredMetadata(original: JsonObject, { metadata: answered }: JsonObject): JsonObject {
  if (answered === undefined) throw new Error('missing metadata in converted object')
  if (!isJsonObject(answered)) throw new Error(`invalid metadata of type ${printedType(answered)} in converted object`)
  const metadata = clone(isJsonObject(original.metadata) ? original.metadata : {})
  for (const field of ['labels', 'annotations'] as const) {
    const value = answered[field]
    if (value === undefined || value === null) delete metadata[field]
    else metadata[field] = checked(field, value, metadata[field])
  }
  return metadata
}

/** Validates labels or annotations, the only metadata that a webhook may change. */
function checked(field: 'labels' | 'annotations', value: Json, before: Json | undefined): JsonObject {
  if (!isJsonObject(value)) throw new Error(`invalid metadata.${field} of type ${printedType(value)} in converted object`)
  const texts: Record<string, string> = {}
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string')
      throw new Error(`metadata.${field}[${key}] must be a string, but is ${printedType(text)} in converted object`)
    setMember(texts, key, text)
  }
  if (deepEqual(texts, before ?? {})) return value
  // Upstream's error paths have the singular `annotation`.
  const errors =
    field === 'labels'
      ? validateLabels(texts, fieldPath('metadata', 'labels'))
      : validateAnnotations(texts, fieldPath('metadata', 'annotation'))
  if (errors.length > 0) throw new Error(aggregateErrors(errors))
  return value
}

const aggregateErrors = (errors: readonly FieldError[]): string => aggregate(errors.map(fieldErrorText))
