import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import type { Json } from '../../api/meta/object.ts'
import { quote } from '../../lib/go-quote.ts'
import { isGoInteger } from '../../meta/whole-floats.ts'
import { isJsonInteger } from './json-integer.ts'
import { type ValueFault, ValueResult } from './value-result.ts'
import type { ValueRules } from './value-rules.ts'

/** Names of types in messages. */
type TypeName = 'string' | 'boolean' | 'integer' | 'number' | 'array' | 'object'

/** Returns the type of a JSON value. `isFloat`: whether a whole number is a float in Go. */
function jsonTypeOf(value: Exclude<Json, null>, isFloat: boolean): TypeName {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'object') return Array.isArray(value) ? 'array' : 'object'
  return isGoInteger(value, isFloat) ? 'integer' : 'number'
}

/** Whether a number that is a float in Go is accepted as an integer. */
const isAsGoodAsWhole = (value: Json, rules: ValueRules): boolean => typeof value === 'number' && isJsonInteger(value, rules)

/** Creates upstream's fault for a value of a wrong type. */
export const typeFault = (name: string, wanted: string, found: string): ValueFault => ({
  kind: 'type',
  name,
  value: found,
  message: `${name} in body must be of type ${wanted}: ${quote(found)}`,
})

/** Formats that Go's number types imply. */
const NUMBER_FORMATS: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' }

/** Checks a value against the type of its schema. A float is accepted as an integer if `isJsonInteger` accepts it. */
export function checkValueType(value: Json, schema: JsonSchemaProps, name: string, isFloat: boolean, rules: ValueRules): ValueResult {
  const { type = '', format, nullable } = schema
  const met = new ValueResult().count()
  if (schema['x-kubernetes-int-or-string']) return checkIntOrString(value, nullable === true, name, isFloat, rules)
  if (value === null) return type !== '' && !nullable ? ValueResult.of(typeFault(name, type, 'null')) : met
  const found = jsonTypeOf(value, isFloat)
  const fits = type === found || (found === 'integer' && type === 'number') || (type === 'integer' && isAsGoodAsWhole(value, rules))
  if (format !== undefined) {
    const own = NUMBER_FORMATS[found] ?? ''
    if (found !== 'string' && found !== 'array' && !fits && own !== format) return ValueResult.of(typeFault(name, format, own))
    if (type !== 'number' && type !== 'integer' && (found === 'string' || found === 'array')) return met
  }
  return fits ? met : ValueResult.of(typeFault(name, type, found))
}

/** Formats are ignored. */
function checkIntOrString(value: Json, nullable: boolean, name: string, isFloat: boolean, rules: ValueRules): ValueResult {
  const found = value === null ? 'null' : jsonTypeOf(value, isFloat)
  const fits = found === 'null' ? nullable : found === 'integer' || found === 'string' || isAsGoodAsWhole(value, rules)
  return fits ? new ValueResult().count() : ValueResult.of(typeFault(name, 'integer,string', found))
}
