import { clone, setMember } from '../../meta/equal.ts'
import type { Json } from '../../meta/object.ts'
import { tooLargeError } from '../../meta/status.ts'
import { additionalSchema, itemsSchema, type JsonSchemaProps, propertySchema } from './props.ts'

/**
 * Sets the defaults of a structural schema in place, for members that are absent, or null although not nullable. Items and map values that are null although
 * not nullable are replaced as well. A short list with a schema of many defaults can expand far beyond what a store accepts, so this throws 413 above
 * MOST_FILLED values. Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting
 */
export const fillDefaults = (value: Json, schema: JsonSchemaProps | undefined): void => fill(value, schema, { filled: 0 })

/** Limit on the values that defaults add to one object, at every depth. */
const MOST_FILLED = 65_536

/** Number of values added by one call. */
interface Filling {
  filled: number
}

/** Returns a copy of a default. */
function defaultOf({ default: value = null }: JsonSchemaProps, filling: Filling): Json {
  filling.filled += countOf(value)
  if (filling.filled > MOST_FILLED) throw tooLargeError(`limit is ${MOST_FILLED} values of defaults`)
  return clone(value)
}

/** Number of values in each default. Defaults are immutable and are filled in again and again. */
const counts = new WeakMap<object, number>()

function countOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = counts.get(value)
  if (count === undefined) {
    count = Object.values(value).reduce<number>((sum, member) => sum + countOf(member), 1)
    counts.set(value, count)
  }
  return count
}

const NONE: readonly never[] = []

/** Properties of each schema that have a default. A list can have very many items whose schema has very many properties without one. */
const defaulted = new WeakMap<object, readonly (readonly [name: string, property: JsonSchemaProps])[]>()

function defaultedOf({ properties }: JsonSchemaProps): readonly (readonly [name: string, property: JsonSchemaProps])[] {
  if (properties === undefined) return NONE
  let known = defaulted.get(properties)
  if (known === undefined) {
    known = Object.entries(properties).filter(([, property]) => property.default !== undefined && property.default !== null)
    defaulted.set(properties, known)
  }
  return known
}

/** Whether each schema has a default at any depth. Most of a wide schema has none. */
const withDefaults = new WeakMap<JsonSchemaProps, boolean>()

function hasDefaults(schema: JsonSchemaProps): boolean {
  let known = withDefaults.get(schema)
  if (known === undefined) {
    const inner = [itemsSchema(schema), additionalSchema(schema), ...Object.values(schema.properties ?? {})]
    known = inner.some(each => each !== undefined && (each.default !== undefined || hasDefaults(each)))
    withDefaults.set(schema, known)
  }
  return known
}

/** Sets defaults within a value. `filling` is shared by the whole object. */
function fill(value: Json, schema: JsonSchemaProps | undefined, filling: Filling): void {
  if (schema === undefined || typeof value !== 'object' || value === null || !hasDefaults(schema)) return
  if (Array.isArray(value)) {
    const items = itemsSchema(schema)
    if (items === undefined) return
    for (const [i, item] of value.entries()) {
      const filled = isWrongNull(item, items) ? defaultOf(items, filling) : item
      value[i] = filled
      fill(filled, items, filling)
    }
    return
  }
  for (const [name, property] of defaultedOf(schema)) {
    const present = Object.hasOwn(value, name)
    if (!present || isWrongNull(value[name], property)) setMember(value, name, defaultOf(property, filling))
  }
  const additional = additionalSchema(schema)
  for (const [name, member] of Object.entries(value)) {
    const property = propertySchema(schema, name)
    const isWrong = !property && additional !== undefined && isWrongNull(member, additional)
    const filled = isWrong ? defaultOf(additional, filling) : member
    if (isWrong) setMember(value, name, filled)
    fill(filled, property ?? additional, filling)
  }
}

/** Whether a member is null although not nullable, and so counts as absent. */
const isWrongNull = (value: Json | undefined, schema: JsonSchemaProps): boolean => value === null && schema.nullable !== true
