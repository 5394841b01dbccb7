import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import type { Json, JsonObject } from '../../api/meta/object.ts'
import { ownMember } from '../../meta/equal.ts'
import { isGoInteger } from '../../meta/whole-floats.ts'
import { additionalSchema, itemsSchema } from '../../schema/json-schema/props.ts'
import { CelDouble, CelError, type Value } from '../values/value.ts'
import { PreservedValue } from './preserved-value.ts'
import { makeList } from './schema-list.ts'
import { SchemaMap } from './schema-map.ts'
import { STRING_VALUES } from './string-formats.ts'
import { isWhole, withNames } from './whole-objects.ts'

/** The error for a value that does not match its schema, because it was stored before the schema changed. */
const invalid = (what: string): CelError => new CelError(`invalid data, ${what}`)

/** Returns the Go type of a decoded value, which errors print. */
function jsonGoType(value: Json, isFloat: boolean): string {
  if (value === null) return '<nil>'
  if (typeof value === 'object') return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
  if (typeof value === 'boolean' || typeof value === 'string') return typeof value === 'boolean' ? 'bool' : 'string'
  return isGoInteger(value, isFloat) ? 'int64' : 'float64'
}

/**
 * Wraps a value of a structural schema. Members are converted when they are read; nothing is copied. A value that does
 * not match its schema is an error when it is read. Source: kubernetes/apiserver, pkg/cel/common/values.go.
 * @param isFloat whether a whole number was decoded as a float by Go, so that it is not an integer.
 */
export function schemaValue(json: Json, schema: JsonSchemaProps, isFloat = false): Value {
  if (json === null) return schema.nullable ? null : invalid('got null for schema with nullable=false')
  if (schema['x-kubernetes-int-or-string']) return intOrString(json, isFloat)
  switch (schema.type) {
    case 'object':
      return object(json, schema)
    case 'array':
      return array(json, schema)
    case 'string':
      return string(json, schema.format ?? '', isFloat)
    case 'number':
      if (typeof json === 'number' || typeof json === 'bigint') return new CelDouble(Number(json))
      return invalid(`expected float, got ${jsonGoType(json, isFloat)}`)
    case 'integer':
      if (isInteger(json, isFloat)) return json
      return invalid(`expected int, got ${jsonGoType(json, isFloat)}`)
    case 'boolean':
      return typeof json === 'boolean' ? json : invalid(`expected bool, got ${jsonGoType(json, isFloat)}`)
    default:
      return untyped(json, schema)
  }
}

/** Whether Go decoded an integer. A number with a fraction of zeros is a float. */
const isInteger = (json: Json, isFloat: boolean): json is number | bigint =>
  (typeof json === 'number' || typeof json === 'bigint') && isGoInteger(json, isFloat)

function intOrString(json: Json, isFloat: boolean): Value {
  if (typeof json === 'string') return json
  if (isInteger(json, isFloat)) return json
  return invalid('expected XIntOrString value to be either a string or integer')
}

function object(json: Json, schema: JsonSchemaProps): Value {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return invalid('expected a map for the provided schema with type=object')
  return wholeOrPlain(json, isWhole(schema) ? withNames(schema) : schema)
}

/** Wraps an object. Members are read from the document on access. */
function wholeOrPlain(json: JsonObject, schema: JsonSchemaProps): Value {
  return new SchemaMap(json, schema.properties, additionalSchema(schema), schemaValue)
}

/**
 * Wraps the root of a custom resource. apiVersion, kind and the object's name are visible even if the schema does not
 * have them.
 */
export const rootValue = (json: JsonObject, schema: JsonSchemaProps): Value => wholeOrPlain(json, withNames(schema))

function array(json: Json, schema: JsonSchemaProps): Value {
  if (!Array.isArray(json)) return invalid('expected an array for the provided schema with type=array')
  const items = itemsSchema(schema)
  if (!items) return new CelError('invalid array type, expected Items with a non-empty Schema')
  const type = schema['x-kubernetes-list-type'] ?? ''
  return makeList(json, items, type, schema['x-kubernetes-list-map-keys'] ?? [], schemaValue)
}

/** Converts a string. Formats convert to timestamps, durations and bytes. */
function string(json: Json, format: string, isFloat: boolean): Value {
  if (typeof json !== 'string') return invalid(`expected string, got ${jsonGoType(json, isFloat)}`)
  return ownMember(STRING_VALUES, format)?.(json) ?? json
}

/** Wraps a value without a type. Preserved values support only equality. */
function untyped(json: Json, schema: JsonSchemaProps): Value {
  if (schema['x-kubernetes-preserve-unknown-fields']) return new PreservedValue(json)
  const expected =
    'expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true'
  return new CelError(`invalid type, ${expected}, got ${schema.type ?? ''}`)
}
