import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import type { Json, JsonObject } from '../../api/meta/object.ts'
import { isStepDone, runAtOnce, type Steps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import { setMember } from '../../meta/equal.ts'
import { tooLargeError } from '../../meta/status.ts'
import { cloneInSteps } from '../../meta/whole-floats.ts'
import { additionalSchema, itemsSchema, propertySchema } from './props.ts'

/**
 * Sets the defaults of a structural schema in place, for members that are absent, or null although not nullable. Items
 * and map values that are null although not nullable are replaced as well. A short list with a schema of many defaults
 * can expand far beyond what a store accepts, so this throws 413 above MOST_FILLED values. Source:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting
 */
export function fillDefaults(value: Json, schema: JsonSchemaProps | undefined): void {
  const steps = fillDefaultsInSteps(value, schema)
  if (steps) runAtOnce(steps)
}

/** `fillDefaults` in steps, for values that may be large. Undefined if the schema has no defaults. */
export function fillDefaultsInSteps(value: Json, schema: JsonSchemaProps | undefined): Steps<void> | undefined {
  return schema === undefined || withDefaults.get(schema) === false ? undefined : fillValue(value, schema)
}

/** Limit on the values that defaults add to one object, at every depth. */
const MOST_FILLED = 65_536

/** Number of values added by one call. */
interface Filling {
  filled: number
}

/** Returns a copy of a default. */
function* defaultOf({ default: value = null }: JsonSchemaProps, filling: Filling): Steps<Json> {
  filling.filled += countOf(value)
  if (filling.filled > MOST_FILLED) throw tooLargeError(`limit is ${MOST_FILLED} values of defaults`)
  return typeof value === 'object' ? yield* cloneInSteps(value) : value
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

/**
 * Properties of each schema that have a default. A list can have very many items whose schema has very many properties
 * without one.
 */
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

/** Whether an object lacks a default that its schema has for one of its own members. */
export const lacksDefault = (object: JsonObject, schema: JsonSchemaProps): boolean =>
  defaultedOf(schema).some(([name, property]) => !Object.hasOwn(object, name) || isWrongNull(object[name], property))

/** Whether each schema has a default at any depth. Most of a wide schema has none. */
const withDefaults = new WeakMap<JsonSchemaProps, boolean>()

/**
 * Looks through properties, items and additional properties. Schemas are finite trees here: references are not allowed
 * in definitions of custom kinds.
 */
function* hasDefaults(schema: JsonSchemaProps): Steps<boolean> {
  let known = withDefaults.get(schema)
  if (known !== undefined) return known
  known = false
  for (const inner of [itemsSchema(schema), additionalSchema(schema), ...Object.values(schema.properties ?? {})]) {
    if (isStepDone()) yield
    if (inner === undefined || (inner.default === undefined && !(yield* hasDefaults(inner)))) continue
    known = true
    break
  }
  withDefaults.set(schema, known)
  return known
}

/** A list or object whose members have not been visited. */
interface UnfilledNode {
  readonly value: Json[] | JsonObject
  readonly schema: JsonSchemaProps
}

/**
 * Visits with a list of open places instead of by recursion, so that depth is not limited by the stack. A default is
 * opened in turn: its own members can have defaults.
 */
function* fillValue(root: Json, rootSchema: JsonSchemaProps): Steps<void> {
  const places: UnfilledNode[] = []
  const open = (value: Json | undefined, schema: JsonSchemaProps | undefined): void => {
    if (schema !== undefined && typeof value === 'object' && value !== null && withDefaults.get(schema) !== false)
      places.push({ value, schema })
  }
  const filling: Filling = { filled: 0 }
  open(root, rootSchema)
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value, schema } = place
    if (!(withDefaults.get(schema) ?? (yield* hasDefaults(schema)))) continue
    if (!Array.isArray(value)) {
      yield* fillMembers(value, schema, filling, open)
      continue
    }
    const items = itemsSchema(schema)
    if (items === undefined) continue
    for (let i = 0; i < value.length; i++) {
      if (isStepDone()) yield
      if (isWrongNull(value[i], items)) value[i] = yield* defaultOf(items, filling)
      open(value[i], items)
    }
  }
}

type Open = (value: Json | undefined, schema: JsonSchemaProps | undefined) => void

/**
 * Fills named properties before it visits members, so that members of a default are visited too. A null of an
 * additional property is replaced; an absent one has no name.
 */
function* fillMembers(object: JsonObject, schema: JsonSchemaProps, filling: Filling, open: Open): Steps<void> {
  for (const [name, property] of defaultedOf(schema)) {
    if (isStepDone()) yield
    if (!Object.hasOwn(object, name) || isWrongNull(object[name], property)) setMember(object, name, yield* defaultOf(property, filling))
  }
  const additional = additionalSchema(schema)
  for (const name of yield* memberNames(object)) {
    if (isStepDone()) yield
    const property = propertySchema(schema, name)
    if (!property && additional !== undefined && isWrongNull(object[name], additional))
      setMember(object, name, yield* defaultOf(additional, filling))
    open(object[name], property ?? additional)
  }
}

/** Whether a member is null although not nullable, and so counts as absent. */
const isWrongNull = (value: Json | undefined, schema: JsonSchemaProps): boolean => value === null && schema.nullable !== true
