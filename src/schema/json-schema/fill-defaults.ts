import { clone, setMember } from '../../meta/equal.ts'
import type { Json } from '../../meta/object.ts'
import { tooLargeError } from '../../meta/status.ts'
import { additionalSchema, itemsSchema, type JsonSchemaProps, propertySchema } from './props.ts'

/**
 * Fills in the defaults of a structural schema, in place: where a member is absent, or null that is no value. Within lists and maps a null that is no value becomes the default, too.
 * A short list and a schema of many defaults make very much of it, which no store would take: throws 413 once there are more than MOST_FILLED values.
 * Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting
 */
export const fillDefaults = (value: Json, schema: JsonSchemaProps | undefined): void => fill(value, schema, { filled: 0 })

/** Values that defaults may add to one object, at every depth. */
const MOST_FILLED = 65_536

/** How much one filling has added. */
interface Filling {
  filled: number
}

/** A copy of a default. */
function defaultOf({ default: value = null }: JsonSchemaProps, filling: Filling): Json {
  filling.filled += countOf(value)
  if (filling.filled > MOST_FILLED) throw tooLargeError(`limit is ${MOST_FILLED} values of defaults`)
  return clone(value)
}

/** Of defaults, which never change: the same ones are filled in again and again. */
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

/** The properties of a schema that have a default. A list may have very many items, and its schema very many properties without one. */
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

/** Whether there is a default in a schema, at any depth: of what is wide, most has none. */
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

/** `filling` is shared by the whole object. */
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

/** A null that the schema does not allow counts as absent. */
const isWrongNull = (value: Json | undefined, schema: JsonSchemaProps): boolean => value === null && schema.nullable !== true
