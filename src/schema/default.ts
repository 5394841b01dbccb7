import { isJsonObject, type Json, type JsonObject } from '../api/meta/object.ts'
import { isStepDone, runAtOnce, type Steps } from '../lib/steps.ts'
import { clone } from '../meta/equal.ts'
import type { Field, Schema, StructSchema } from './schema.ts'

/** Sets the defaults within a value, in place. Adds the steps of long lists and wide maps to `later`. */
type Fill = (value: Json, later: Steps<void>[]) => void

/** Sets the defaults of the schema, in place. */
export function applyDefaults(schema: StructSchema, object: JsonObject): void {
  const rest = schema.form.setDefaults(schema, object)
  if (rest) runAtOnce(rest)
}

/**
 * Sets the defaults of markers recursively and in place, for members that are absent or null (for a non-pointer field,
 * zero). An absent struct is not created for the defaults within it. Returns the steps of long lists and wide maps, if
 * there are any.
 */
export function fillDefaults(schema: StructSchema, object: JsonObject): Steps<void> | undefined {
  const later: Steps<void>[] = []
  fillerOf(schema)?.(object, later)
  return later.length === 0 ? undefined : runAll(later)
}

/** The list grows while its steps run. */
function* runAll(later: readonly Steps<void>[]): Steps<void> {
  for (const steps of later) yield* steps
}

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
      return (value, later) => filler.fill?.(value, later)
    }
    case 'list': {
      const item = fillerOf(schema.items)
      return item && ((value, later) => fillAll(Array.isArray(value) ? value : [], item, later))
    }
    case 'map': {
      const inner = fillerOf(schema.values)
      return inner && ((value, later) => fillAll(isJsonObject(value) ? Object.values(value) : [], inner, later))
    }
    default:
      return undefined
  }
}

/** Number of values from which they are filled in steps. */
const MANY = 256

function fillAll(values: readonly Json[], fill: Fill, later: Steps<void>[]): void {
  if (values.length >= MANY) later.push(fillLater(values, fill, later))
  else for (const value of values) if (value !== null) fill(value, later)
}

function* fillLater(values: readonly Json[], fill: Fill, later: Steps<void>[]): Steps<void> {
  for (const value of values) {
    if (isStepDone()) yield
    if (value !== null) fill(value, later)
  }
}

/**
 * Whether each type has defaults. While a type is being examined, a recursive occurrence counts as having none; the
 * outer call determines the result.
 */
const verdicts = new WeakMap<StructSchema, boolean>()

/**
 * Whether a default is reachable. `asked`: types whose examination has begun, empty for the outermost call. Only that
 * call stores a negative verdict, because a cycle makes an inner one incomplete.
 */
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

/**
 * Visits only the fields that have a default or can reach one. The default is copied, so that objects do not share it.
 */
function structFiller(schema: StructSchema): Fill {
  const steps: { field: Field; inner: Fill | undefined }[] = []
  for (const field of schema.fields.values()) {
    const inner = fillerOf(field.schema)
    if (field.default !== undefined || inner) steps.push({ field, inner })
  }
  return (object, later) => {
    if (!isJsonObject(object)) return
    for (const { field, inner } of steps) {
      let current = object[field.name]
      if (current === undefined || current === null || (field.default !== undefined && !field.pointer && isZeroScalar(current))) {
        if (field.default === undefined) continue
        current = clone(field.default)
        object[field.name] = current
      }
      inner?.(current, later)
    }
  }
}

const isZeroScalar = (value: Json): boolean => value === '' || value === 0 || value === false
