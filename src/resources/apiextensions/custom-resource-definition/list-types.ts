import type { JsonSchemaProps } from '../../../api/apiextensions/json-schema-props.ts'
import { repeats } from '../../../lib/repeats.ts'
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { goValue } from '../../../schema/json-schema/go-value.ts'
import { itemsSchema, propertySchema } from '../../../schema/json-schema/props.ts'

const LIST_TYPE = 'x-kubernetes-list-type'
const MAP_TYPE = 'x-kubernetes-map-type'
const KEYS = 'x-kubernetes-list-map-keys'

/** Returns the error of a schema whose type does not fit the marker. */
function misplaced(schema: JsonSchemaProps, type: 'object' | 'array', marker: string, path: FieldPath): FieldError[] {
  const text = `must be ${type} if ${marker} is specified`
  if (schema.type === undefined) return [required(path.child('type'), text)]
  return schema.type === type ? [] : [invalid(path.child('type'), schema.type, text)]
}

/** Validates list types, map types and list map keys. With `atomicSets` items of a set must be atomic. */
export function validateListAndMapTypes(schema: JsonSchemaProps, path: FieldPath, atomicSets: boolean): FieldError[] {
  const errors: FieldError[] = []
  const mapType = schema[MAP_TYPE]
  if (mapType !== undefined) {
    errors.push(...misplaced(schema, 'object', MAP_TYPE, path))
    if (!['atomic', 'granular'].includes(mapType)) errors.push(notSupported(path.child(MAP_TYPE), mapType, ['atomic', 'granular']))
  }
  const listType = schema[LIST_TYPE]
  if (listType !== undefined) {
    if (schema.type !== 'array') errors.push(...misplaced(schema, 'array', LIST_TYPE, path))
    else if (atomicSets && listType === 'set' && !hasAtomicItems(schema)) {
      const items = itemsSchema(schema)
      const marker = items?.type === 'array' ? LIST_TYPE : MAP_TYPE
      // Upstream prints the list type of the items even if their map type is wrong.
      errors.push(
        invalid(path.child('items', marker), items?.[LIST_TYPE], 'must be atomic as item of a list with x-kubernetes-list-type=set'),
      )
    }
    if (!['atomic', 'set', 'map'].includes(listType)) errors.push(notSupported(path.child(LIST_TYPE), listType, ['atomic', 'set', 'map']))
  }
  if (schema[KEYS]) {
    const text = 'must be map if x-kubernetes-list-map-keys is non-empty'
    if (listType === undefined) errors.push(required(path.child(LIST_TYPE), text))
    else if (listType !== 'map') errors.push(invalid(path.child(LIST_TYPE), listType, text))
  }
  return listType === 'map' ? [...errors, ...mapListErrors(schema, path)] : errors
}

/** Reports whether items of a set are atomic: scalars, atomic lists, and objects marked as atomic. */
export function hasAtomicItems(schema: JsonSchemaProps): boolean {
  const items = itemsSchema(schema)
  if (items?.type === 'array') return items[LIST_TYPE] === undefined || items[LIST_TYPE] === 'atomic'
  return items?.type !== 'object' || items[MAP_TYPE] === 'atomic'
}

/**
 * Validates list map keys. Stops at the first error after which the keys cannot be looked up. The error of a key that
 * is not a scalar shows the type of the items, as upstream's does.
 */
function mapListErrors(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const keys = schema[KEYS] ?? []
  if (keys.length === 0) errors.push(required(path.child(KEYS), 'must not be empty if x-kubernetes-list-type is map'))
  const at = path.child('items')
  if (schema.items === undefined) return [...errors, required(at, 'must have a schema if x-kubernetes-list-type is map')]
  const items = itemsSchema(schema)
  if (!items) return [...errors, invalid(at, goValue(schema.items), 'must only have a single schema if x-kubernetes-list-type is map')]
  if (items.type !== 'object')
    return [...errors, invalid(at.child('type'), items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map")]
  const again = repeats(keys)
  for (const [i, key] of keys.entries()) {
    const property = propertySchema(items, key)
    if (!property) errors.push(invalid(path.child(KEYS), keys, 'entries must all be names of item properties'))
    else if (property.type === 'array' || property.type === 'object') {
      errors.push(
        invalid(
          at.child('properties').key(key).child('type'),
          items.type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      )
    }
    if (again[i]) errors.push(invalid(path.child(KEYS), keys, 'must not contain duplicate entries'))
  }
  return errors
}

/**
 * Checks the items of a set or list map. Neither items nor keys may be nullable, and every key is required or has a
 * default.
 */
export function validateMapKeys(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const items = itemsSchema(schema)
  const listType = schema[LIST_TYPE]
  if (!items || (listType !== 'set' && listType !== 'map')) return []
  const errors: FieldError[] = []
  const at = path.child('items')
  if (items.nullable) errors.push(forbidden(at.child('nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`))
  if (listType === 'set') return errors
  const isRequired = new Set(items.required)
  for (const key of schema[KEYS] ?? []) {
    const property = propertySchema(items, key)
    if (!property) continue
    const place = at.child('properties').key(key)
    if (!isRequired.has(key) && property.default === undefined) {
      errors.push(
        required(
          place.child('default'),
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        ),
      )
    }
    if (property.nullable)
      errors.push(forbidden(place.child('nullable'), 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'))
  }
  return errors
}
