import { clone } from '../meta/equal.ts'
import { isJsonObject, type Json, type JsonObject } from '../meta/object.ts'
import type { Field, Schema, StructSchema } from './schema.ts'

/** Fills in the defaults within a value, in place. */
type Fill = (value: Json) => void

/** Fills in the defaults of the schema, in place. */
export const applyDefaults = (schema: StructSchema, object: JsonObject): void => schema.form.setDefaults(schema, object)

/**
 * Fills in the defaults that markers state, recursively and in place: where a member is absent or null (for a field that is no pointer: zero). A struct that holds
 * defaults but is itself absent stays absent.
 */
export const fillDefaults = (schema: StructSchema, object: JsonObject): void => fillerOf(schema)?.(object)

/** Put here before its fields are looked at, for types may hold themselves. */
const fillers = new WeakMap<StructSchema, { fill: Fill | undefined }>()

/** undefined: nothing below the type has a default, so it need not be walked. */
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

/** Recursive types: a type that is being asked about says no, and whoever asked first finds out. */
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
