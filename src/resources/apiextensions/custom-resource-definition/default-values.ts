import type { JsonSchemaProps } from '../../../api/apiextensions/json-schema-props.ts'
import { isJsonObject, type Json } from '../../../api/meta/object.ts'
import { aggregate } from '../../../lib/aggregate.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import { clone } from '../../../meta/equal.ts'
import { type FieldError, fieldErrorText, invalid } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { coerceEmbeddedMeta, validateEmbeddedMeta } from '../../../schema/json-schema/embedded-meta.ts'
import { goValue } from '../../../schema/json-schema/go-value.ts'
import { withoutIntOrString } from '../../../schema/json-schema/known-formats.ts'
import { itemsSchema, someSchemaInSteps } from '../../../schema/json-schema/props.ts'
import { prune } from '../../../schema/json-schema/prune.ts'
import { valueSteps } from '../../../schema/json-schema/validate-value.ts'
import type { ValueRules } from '../../../schema/json-schema/value-rules.ts'

/** Wraps a value in the object that contains it. */
type Surround = (value: Json) => Json

interface DefaultPosition {
  readonly schema: JsonSchemaProps
  readonly path: FieldPath
  /** The nearest schema of a whole object, and the path of the value within it. */
  readonly object: JsonSchemaProps
  readonly surround: Surround
  readonly insideMeta: boolean
  /** Whether the schema of the definition has embedded resources. */
  readonly hasEmbedded: boolean
  readonly values: ValueRules
}

const META = new Set(['metadata', 'kind', 'apiVersion'])
const isEmbedded = (schema: JsonSchemaProps): boolean => schema['x-kubernetes-embedded-resource'] === true

/** Wraps a member in an API object, with placeholders for kind and apiVersion. */
const asObject: Surround = value => ({ kind: 'Validation', apiVersion: 'validation/v1', ...(isJsonObject(value) && value) })

/**
 * Validates every default of a structural schema against that schema. With `requirePruned` a default may have no
 * unspecified members. Yields for each schema and for each walk through a default.
 */
export function* validateDefaults(
  schema: JsonSchemaProps,
  path: FieldPath,
  requirePruned: boolean,
  values: ValueRules,
): Steps<FieldError[]> {
  const root = isEmbedded(schema) ? schema : { ...schema, 'x-kubernetes-embedded-resource': true }
  const hasEmbedded = yield* someSchemaInSteps(schema, isEmbedded)
  return yield* placeErrors({ schema: root, path, object: root, surround: asObject, insideMeta: false, hasEmbedded, values }, requirePruned)
}

/**
 * Visits items and properties; defaults elsewhere are forbidden. An embedded resource becomes the whole object for the
 * schemas below it.
 */
function* placeErrors(place: DefaultPosition, requirePruned: boolean): Steps<FieldError[]> {
  const { schema, path } = place
  const here = isEmbedded(schema) ? { ...place, object: schema, surround: asObject, insideMeta: false } : place
  const errors: FieldError[] = []
  if (schema.default !== undefined)
    errors.push(...(yield* here.insideMeta ? metaErrors(here, schema.default) : defaultErrors(here, schema.default, requirePruned)))
  if (isLongStepDone()) yield
  const items = itemsSchema(schema)
  if (items) {
    const surround: Surround = value => here.surround([value])
    errors.push(...(yield* placeErrors({ ...here, schema: items, path: path.child('items'), surround }, requirePruned)))
  }
  const { properties = {} } = schema
  for (const name of yield* memberNames(properties)) {
    const property = properties[name]
    if (property === undefined) continue
    const surround: Surround = value => here.surround({ [name]: value })
    const insideMeta = here.insideMeta || (isEmbedded(schema) && META.has(name))
    errors.push(
      ...(yield* placeErrors({ ...here, schema: property, path: path.child('properties').key(name), surround, insideMeta }, requirePruned)),
    )
  }
  return errors
}

/**
 * Validates a default in metadata, kind or apiVersion by validating the object that contains it. Stops after the first
 * of three stages with errors: structure, content, schema.
 */
function* metaErrors({ schema, path, object, surround, values }: DefaultPosition, value: Json): Steps<FieldError[]> {
  const at = path.child('default')
  const wrong = (text: string): FieldError[] => [invalid(at, goValue(value), `must result in valid metadata: ${text}`)]
  const whole = surround(clone(value))
  yield
  const misfit = yield* coerceEmbeddedMeta(whole, object, fieldPath(), true)
  yield
  if (misfit) return wrong(fieldErrorText(misfit))
  const texts = (yield* validateEmbeddedMeta(whole, object, fieldPath(), true)).map(fieldErrorText)
  yield
  if (texts.length > 0) return wrong(aggregate(texts))
  return yield* valueSteps(value, undefined, yield* withoutIntOrString(schema), at, values)
}

/**
 * Validates any other default. Unknown members are reported in addition. A default with invalid embedded metadata is
 * not validated against its schema.
 */
function* defaultErrors({ schema, path, hasEmbedded, values }: DefaultPosition, value: Json, requirePruned: boolean): Steps<FieldError[]> {
  const at = path.child('default')
  const errors: FieldError[] = []
  const isTooMuch = requirePruned && (yield* isPruned(value, schema))
  yield
  if (isTooMuch) errors.push(invalid(at, goValue(value), 'must not have unknown fields'))
  yield
  // Searching a default of 50,000 members for embedded objects takes 0.1 s.
  if (!hasEmbedded && !isEmbedded(schema))
    return [...errors, ...(yield* valueSteps(value, undefined, yield* withoutIntOrString(schema), at, values))]
  const coerced = clone(value)
  yield
  const misfit = yield* coerceEmbeddedMeta(coerced, schema, at)
  if (misfit) return [...errors, misfit]
  yield
  const metadata = yield* validateEmbeddedMeta(coerced, schema, at)
  yield
  return [
    ...errors,
    ...(metadata.length > 0 ? metadata : yield* valueSteps(coerced, undefined, yield* withoutIntOrString(schema), at, values)),
  ]
}

/** Prunes a copy, since pruning changes the value. */
function* isPruned(value: Json, schema: JsonSchemaProps): Steps<boolean> {
  const copy = clone(value)
  yield
  return yield* prune(copy, schema, isEmbedded(schema))
}

/** Reports whether a default has unspecified members. */
export function* hasUnprunedDefaults(schema: JsonSchemaProps): Steps<boolean> {
  const walks: Steps<boolean>[] = []
  yield* someSchemaInSteps(schema, inner => {
    if (inner.default !== undefined) walks.push(isPruned(inner.default, inner))
    return false
  })
  for (const walk of walks) if (yield* walk) return true
  return false
}
