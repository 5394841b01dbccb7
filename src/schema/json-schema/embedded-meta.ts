import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import type { Json, JsonObject, ObjectMeta } from '../../api/meta/object.ts'
import { declarationsOf } from '../../api/packages.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import { hasFewValues } from '../../meta/few-values.ts'
import { type FieldError, invalid, required, words } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { validateKindName } from '../../meta/kind-name.ts'
import { nameIsPathSegment } from '../../meta/names.ts'
import { validateObjectMetaInSteps } from '../../meta/object-meta-validation.ts'
import { DecodeError, decode, decodeInSteps } from '../decode.ts'
import { TypeRegistry } from '../idl.ts'
import { sortedJson, sortedJsonInSteps } from '../members.ts'
import type { StructSchema } from '../schema.ts'
import { goValue } from './go-value.ts'
import { additionalSchema, isEmbedded, itemsSchema, propertySchema } from './props.ts'

/** Types of the newest release, without `clusterName`, which was removed after 1.24. */
const metaTypes = new TypeRegistry(Number.MAX_SAFE_INTEGER).addFile('meta', declarationsOf('meta'))

/** Returns the type of every object's metadata. Its file is read on first use. */
export const objectMetaType = (): StructSchema => metaTypes.type('meta.ObjectMeta')

/**
 * Decodes metadata. A time that is not set is omitted. `onUnknown` is called with the paths of unknown members. Throws
 * a DecodeError.
 */
export function coerceMeta(value: Json, onUnknown?: (path: string) => void): JsonObject {
  return withoutUnsetTime(decode(objectMetaType(), sortedJson(value), onUnknown ? { onUnknown } : {}))
}

/** Like `coerceMeta`, in steps, for metadata that may be large. */
export function* coerceMetaInSteps(value: Json, onUnknown?: (path: string) => void): Steps<JsonObject> {
  if (hasFewValues(value)) return coerceMeta(value, onUnknown)
  const ordered = yield* sortedJsonInSteps(value)
  yield
  return withoutUnsetTime(yield* decodeInSteps(objectMetaType(), ordered, onUnknown ? { onUnknown } : {}))
}

const withoutUnsetTime = ({ creationTimestamp, ...rest }: JsonObject): JsonObject =>
  creationTimestamp ? { creationTimestamp, ...rest } : rest

/**
 * Coerces the metadata of embedded objects in place and drops its unknown members. Returns the error of the first
 * object with a wrong type. `isObject`: whether the value itself is an API object, whatever its schema declares.
 * `onUnknown` is called with the paths of the dropped members.
 */
export function* coerceEmbeddedMeta(
  value: Json,
  schema: JsonSchemaProps | undefined,
  path: FieldPath,
  isObject = isEmbedded(schema),
  onUnknown?: (path: string) => void,
): Steps<FieldError | undefined> {
  if (schema === undefined || typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      if (isStepDone()) yield
      const error = holdsMembers(item)
        ? yield* coerceEmbeddedMeta(item, itemsSchema(schema), path.index(i), undefined, onUnknown)
        : undefined
      if (error) return error
    }
    return undefined
  }
  for (const name of yield* memberNames(value)) {
    if (isStepDone()) yield
    const own = isObject ? yield* coerceMember(value, name, path, onUnknown) : undefined
    const now = value[name]
    const error =
      own ?? (holdsMembers(now) ? yield* coerceEmbeddedMeta(now, ...memberSchema(schema, name, path), undefined, onUnknown) : undefined)
    if (error) return error
  }
  return undefined
}

/**
 * Whether the value can contain an embedded object. Checked before its path is created, because a list or map can have
 * a great many scalars.
 */
const holdsMembers = (value: Json | undefined): value is JsonObject | Json[] => typeof value === 'object' && value !== null

/** Coerces the kind, apiVersion or metadata of an embedded object. Other members are not checked. */
function* coerceMember(
  object: JsonObject,
  name: string,
  path: FieldPath,
  onUnknown?: (path: string) => void,
): Steps<FieldError | undefined> {
  const value = object[name] ?? null
  if (name === 'kind' || name === 'apiVersion')
    return typeof value === 'string' ? undefined : invalid(path.child(name), goValue(value), 'must be a string')
  if (name !== 'metadata') return undefined
  try {
    object.metadata = yield* coerceMetaInSteps(value, onUnknown && (member => onUnknown(path.child('metadata', member).text)))
    return undefined
  } catch (error) {
    if (error instanceof DecodeError) return invalid(path.child('metadata'), goValue(value), error.message)
    throw error
  }
}

/** Returns the schema and path of a member: a field if the schema names it, otherwise a key. */
const memberSchema = (schema: JsonSchemaProps, name: string, path: FieldPath): [JsonSchemaProps | undefined, FieldPath] => {
  const property = propertySchema(schema, name)
  return property ? [property, path.child(name)] : [additionalSchema(schema), path.key(name)]
}

/** Returns the errors in the kind, apiVersion and metadata of embedded objects. */
export function* validateEmbeddedMeta(
  value: Json,
  schema: JsonSchemaProps | undefined,
  path: FieldPath,
  isObject = isEmbedded(schema),
): Steps<FieldError[]> {
  if (schema === undefined || typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  const errors = isObject && !isList ? yield* objectErrors(value, path) : []
  for (const name of yield* memberNames(value)) {
    if (isStepDone()) yield
    const member = isList ? value[Number(name)] : value[name]
    if (!holdsMembers(member)) continue
    const [inner, at] = isList ? [itemsSchema(schema), path.index(Number(name))] : memberSchema(schema, name, path)
    for (const error of yield* validateEmbeddedMeta(member, inner, at)) errors.push(error)
  }
  return errors
}

/**
 * Returns missing type members first, then the errors in the order of the object's members, of which there may be very
 * many.
 */
function* objectErrors(object: JsonObject, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const name of ['apiVersion', 'kind'])
    if (object[name] === undefined) errors.push(required(path.child(name), words('must not be empty', '')))
  for (const name of yield* memberNames(object)) {
    if (isStepDone()) yield
    if (name !== 'apiVersion' && name !== 'kind' && name !== 'metadata') continue
    const at = path.child(name)
    const value = object[name] ?? null
    if (name !== 'metadata') {
      if (typeof value !== 'string') errors.push(invalid(at, goValue(value), 'must be a string'))
      else if (value === '') errors.push(invalid(at, value, 'must not be empty'))
      else errors.push(...(name === 'kind' ? validateKindName(value, at) : apiVersionErrors(value, at)))
    } else for (const error of yield* metadataErrors(value, at)) errors.push(error)
  }
  return errors
}

const apiVersionErrors = (text: string, path: FieldPath): FieldError[] =>
  text.split('/').length > 2 ? [invalid(path, text, `unexpected GroupVersion string: ${text}`)] : []

/** Finalizer names are only checked for qualification in the server's own kinds. */
const PLAIN_FINALIZERS = { qualifiedFinalizers: false }

function* metadataErrors(value: Json, path: FieldPath): Steps<FieldError[]> {
  try {
    const meta = (yield* coerceMetaInSteps(value)) as ObjectMeta
    // An embedded object need not have a name, but validation of metadata requires one.
    return yield* validateObjectMetaInSteps(
      { ...meta, name: meta.name || 'fakename' },
      Boolean(meta.namespace),
      nameIsPathSegment,
      path,
      PLAIN_FINALIZERS,
    )
  } catch (error) {
    if (error instanceof DecodeError) return [invalid(path, goValue(value), error.message)]
    throw error
  }
}
