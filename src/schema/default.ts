import { clone } from '../meta/equal.ts'
import { isJsonObject, type Json, type JsonObject } from '../meta/object.ts'
import type { Field, Schema, StructSchema } from './schema.ts'

/** Sets the defaults within a value, in place. */
type Fill = (value: Json) => void

/** Sets the defaults of the schema, in place. */
export const applyDefaults = (schema: StructSchema, object: JsonObject): void => schema.form.setDefaults(schema, object)

/**
 * Sets the defaults of markers recursively and in place, for members that are absent or null (for a non-pointer field, zero). An absent struct is not created
 * for the defaults within it.
 */
export const fillDefaults = (schema: StructSchema, object: JsonObject): void => fillerOf(schema)?.(object)

/** An entry is created before its fields are read, because types can be recursive. */
const fillers = new WeakMap<StructSchema, { fill: Fill | undefined }>()

/** Returns undefined if nothing in the type has a default, so that it need not be walked. */
function fillerOf(schema: Schema): Fill | undefined {
  switch (schema.type) {
    case 'struct': {
      if (!hasDefaults(schema, new Set())) return undefined
      let known = fillers.get(schema)
      if (!known) {
        known = { fill: undefined }
        fillers.set(schema, known)
        known.fill = structFiller(schema)
      }
      const filler = known
      return value => filler.fill?.(value)
    }
    case 'list': {
      const item = fillerOf(schema.items)
      return item && (value => fillAll(Array.isArray(value) ? value : [], item))
    }
    case 'map': {
      const inner = fillerOf(schema.values)
      return inner && (value => fillAll(isJsonObject(value) ? Object.values(value) : [], inner))
    }
    default:
      return undefined
  }
}

function fillAll(values: readonly Json[], fill: Fill): void {
  for (const value of values) if (value !== null) fill(value)
}

/** Whether each type has defaults. While a type is being examined, a recursive occurrence counts as having none; the outer call determines the result. */
const verdicts = new WeakMap<StructSchema, boolean>()

function hasDefaults(schema: Schema, asked: Set<Schema>): boolean {
  if (schema.type === 'list') return hasDefaults(schema.items, asked)
  if (schema.type === 'map') return hasDefaults(schema.values, asked)
  if (schema.type !== 'struct') return false
  const known = verdicts.get(schema)
  if (known !== undefined) return known
  if (asked.has(schema)) return false
  const outermost = asked.size === 0
  asked.add(schema)
  let found = false
  for (const field of schema.fields.values()) {
    if (field.default !== undefined || hasDefaults(field.schema, asked)) {
      found = true
      break
    }
  }
  if (found || outermost) verdicts.set(schema, found)
  return found
}

function structFiller(schema: StructSchema): Fill {
  const steps: { field: Field; inner: Fill | undefined }[] = []
  for (const field of schema.fields.values()) {
    const inner = fillerOf(field.schema)
    if (field.default !== undefined || inner) steps.push({ field, inner })
  }
  return object => {
    if (!isJsonObject(object)) return
    for (const { field, inner } of steps) {
      let current = object[field.name]
      if (current === undefined || current === null || (field.default !== undefined && !field.pointer && isZero(current))) {
        if (field.default === undefined) continue
        current = clone(field.default)
        object[field.name] = current
      }
      inner?.(current)
    }
  }
}

const isZero = (value: Json): boolean => value === '' || value === 0 || value === false
