import { type FieldError, invalid, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { validateKindName } from '../../meta/kind-name.ts'
import { nameIsPathSegment } from '../../meta/names.ts'
import type { Json, JsonObject, ObjectMeta } from '../../meta/object.ts'
import { validateObjectMeta } from '../../meta/object-meta-validation.ts'
import { DecodeError, decode } from '../decode.ts'
import { TypeRegistry } from '../idl.ts'
import { sortedJson } from '../members.ts'
import { META_V1 } from '../meta-types.ts'
import type { StructSchema } from '../schema.ts'
import { goValue } from './go-value.ts'
import { additionalSchema, itemsSchema, type JsonSchemaProps, propertySchema } from './props.ts'

const metaTypes = new TypeRegistry().addFile('meta', META_V1)

/** The type of every object's metadata. Its file is read when it is first asked for. */
export const objectMetaType = (): StructSchema => metaTypes.type('meta.ObjectMeta')

/** Reads metadata as every object's; a time that is not set is left out. `onUnknown` is called with the paths of members that it does not have. Throws a DecodeError. */
export function coerceMeta(value: Json, onUnknown?: (path: string) => void): JsonObject {
  const { creationTimestamp, ...rest } = decode(objectMetaType(), sortedJson(value), onUnknown ? { onUnknown } : {})
  return creationTimestamp ? { creationTimestamp, ...rest } : rest
}

/**
 * Gives the metadata of embedded objects its proper form, in place: members that are unknown there are dropped. The error of the first that has a wrong type. `isObject`: the
 * value is an object of the API itself, whatever the schema says. `onUnknown` is called with the paths of the members that are dropped.
 */
export function coerceEmbeddedMeta(
  value: Json,
  schema: JsonSchemaProps | undefined,
  path: FieldPath,
  isObject = isEmbedded(schema),
  onUnknown?: (path: string) => void,
): FieldError | undefined {
  if (schema === undefined || typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      const error = holdsMembers(item) ? coerceEmbeddedMeta(item, itemsSchema(schema), path.index(i), undefined, onUnknown) : undefined
      if (error) return error
    }
    return undefined
  }
  for (const [name, member] of Object.entries(value)) {
    const own = isObject ? coerceMember(value, name, member, path, onUnknown) : undefined
    const now = value[name]
    const error = own ?? (holdsMembers(now) ? coerceEmbeddedMeta(now, ...memberOf(schema, name, path), undefined, onUnknown) : undefined)
    if (error) return error
  }
  return undefined
}

const isEmbedded = (schema: JsonSchemaProps | undefined): boolean => schema?.['x-kubernetes-embedded-resource'] === true

/** Whether an embedded object can stand in the value or below it. Asked before its path is made: a list or map may have very many values that are none. */
const holdsMembers = (value: Json | undefined): value is JsonObject | Json[] => typeof value === 'object' && value !== null

/** The kind, apiVersion or metadata of an embedded object; any other member has nothing to check. */
function coerceMember(object: JsonObject, name: string, value: Json, path: FieldPath, onUnknown?: (path: string) => void): FieldError | undefined {
  if (name === 'kind' || name === 'apiVersion') return typeof value === 'string' ? undefined : invalid(path.child(name), goValue(value), 'must be a string')
  if (name !== 'metadata') return undefined
  try {
    object.metadata = coerceMeta(value, onUnknown && (member => onUnknown(path.child('metadata', member).text)))
    return undefined
  } catch (error) {
    if (error instanceof DecodeError) return invalid(path.child('metadata'), goValue(value), error.message)
    throw error
  }
}

/** The schema of a member, and its path: that of a field where the schema names it, otherwise of a key. */
const memberOf = (schema: JsonSchemaProps, name: string, path: FieldPath): [JsonSchemaProps | undefined, FieldPath] => {
  const property = propertySchema(schema, name)
  return property ? [property, path.child(name)] : [additionalSchema(schema), path.key(name)]
}

/** What is wrong with the kind, apiVersion and metadata of embedded objects. */
export function validateEmbeddedMeta(value: Json, schema: JsonSchemaProps | undefined, path: FieldPath, isObject = isEmbedded(schema)): FieldError[] {
  if (schema === undefined || typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, i) => (holdsMembers(item) ? validateEmbeddedMeta(item, itemsSchema(schema), path.index(i)) : []))
  const errors = isObject ? objectErrors(value, path) : []
  for (const [name, member] of Object.entries(value)) if (holdsMembers(member)) errors.push(...validateEmbeddedMeta(member, ...memberOf(schema, name, path)))
  return errors
}

function objectErrors(object: JsonObject, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['apiVersion', 'kind']) if (object[name] === undefined) errors.push(required(path.child(name), 'must not be empty'))
  for (const [name, value] of Object.entries(object)) {
    const at = path.child(name)
    if (name === 'apiVersion' || name === 'kind') {
      if (typeof value !== 'string') errors.push(invalid(at, goValue(value), 'must be a string'))
      else if (value === '') errors.push(invalid(at, value, 'must not be empty'))
      else errors.push(...(name === 'kind' ? validateKindName(value, at) : apiVersionErrors(value, at)))
    } else if (name === 'metadata') errors.push(...metadataErrors(value, at))
  }
  return errors
}

const apiVersionErrors = (text: string, path: FieldPath): FieldError[] =>
  text.split('/').length > 2 ? [invalid(path, text, `unexpected GroupVersion string: ${text}`)] : []

/** Names that kinds of the server alone are held to. */
const PLAIN_FINALIZERS = { qualifiedFinalizers: false }

function metadataErrors(value: Json, path: FieldPath): FieldError[] {
  try {
    const meta = coerceMeta(value) as ObjectMeta
    // Such an object need not have a name, but metadata must.
    return validateObjectMeta({ ...meta, name: meta.name || 'fakename' }, Boolean(meta.namespace), nameIsPathSegment, path, PLAIN_FINALIZERS)
  } catch (error) {
    if (error instanceof DecodeError) return [invalid(path, goValue(value), error.message)]
    throw error
  }
}
