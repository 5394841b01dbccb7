import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { formatDouble } from '../../lib/format-double.ts'
import { goJsonText } from '../../lib/go-json-text.ts'
import { isStepDone, runAtOnce, type Steps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import { setMember } from '../../meta/equal.ts'
import { duplicate, type FieldError, invalid, verbatim } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isFloatIn } from '../../meta/whole-floats.ts'
import { sortedKeys } from '../members.ts'
import { goValue } from './go-value.ts'
import { additionalSchema, itemsSchema, propertySchema } from './props.ts'

/**
 * Returns an error for each repeated item of a set and each item with a repeated key in a list of type map, at every
 * depth. Each is reported once, at its second occurrence. The value must be decoded by the schema.
 */
export const listErrors = (value: Json, schema: JsonSchemaProps | undefined, path: FieldPath): FieldError[] =>
  runAtOnce(listErrorsInSteps(value, schema, path))

/** `listErrors` in steps, for values that may be large. */
export function* listErrorsInSteps(value: Json, schema: JsonSchemaProps | undefined, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (isOpen(value, schema)) yield* addErrors(value, schema, path, errors)
  return errors
}

const isOpen = (value: Json | undefined, schema: JsonSchemaProps | undefined): value is Json[] | JsonObject =>
  schema !== undefined && typeof value === 'object' && value !== null

/** Only lists and objects need a generator. */
function* addErrors(value: Json[] | JsonObject, schema: JsonSchemaProps | undefined, path: FieldPath, errors: FieldError[]): Steps<void> {
  if (schema === undefined) return
  if (!Array.isArray(value)) {
    const additional = additionalSchema(schema)
    if (additional)
      yield* addMembers(
        value,
        () => additional,
        name => path.key(name),
        errors,
      )
    yield* addMembers(
      value,
      name => propertySchema(schema, name),
      name => path.child(name),
      errors,
    )
    return
  }
  const items = itemsSchema(schema)
  errors.push(...(yield* ownErrors(value, schema, path)))
  let i = -1
  for (const item of value) {
    i++
    if (isStepDone()) yield
    if (isOpen(item, items)) yield* addErrors(item, items, path.index(i), errors)
  }
}

function* addMembers(
  object: JsonObject,
  schemaOf: (name: string) => JsonSchemaProps | undefined,
  pathOf: (name: string) => FieldPath,
  errors: FieldError[],
): Steps<void> {
  for (const name of yield* memberNames(object)) {
    if (isStepDone()) yield
    const member = object[name]
    if (typeof member !== 'object' || member === null) continue
    const schema = schemaOf(name)
    if (isOpen(member, schema)) yield* addErrors(member, schema, pathOf(name), errors)
  }
}

function* ownErrors(list: readonly Json[], schema: JsonSchemaProps, path: FieldPath): Steps<FieldError[]> {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      // A whole number that is a float in Go differs from every integer.
      return (yield* repeated(list, (item, i) => (isFloatIn(list, i, item) ? `float ${valueIdentity(item)}` : valueIdentity(item)))).map(
        i => duplicate(path.index(i), valueAt(list, i)),
      )
    case 'map':
      return yield* mapErrors(list, schema['x-kubernetes-list-map-keys'] ?? [], path)
    default:
      return []
  }
}

/** Formats an item for a message. Whole numbers that are floats in Go are formatted as such. */
function valueAt(list: readonly Json[], i: number): unknown {
  const item = list[i]
  return typeof item === 'number' && isFloatIn(list, i, item) ? verbatim(formatDouble(item), () => goJsonText(item)) : goValue(item)
}

function* mapErrors(list: readonly Json[], names: readonly string[], path: FieldPath): Steps<FieldError[]> {
  const stray = list.findIndex(item => item !== null && !isJsonObject(item))
  if (stray >= 0) return [invalid(path.index(stray), goValue(list[stray]), 'must be an object for an array of list-type map')]
  const keyAt = (item: Json | undefined): JsonObject => itemKeyMembers(isJsonObject(item) ? item : {}, names)
  const found = yield* repeated(list, item => valueIdentity(keyAt(item)))
  return found.map(i => duplicate(path.index(i), goValue(keyAt(list[i])) ?? verbatim('map[string]interface {}{}')))
}

/** Returns the key members of an item in the order of the schema. An item that is null has none. */
function itemKeyMembers(item: JsonObject, names: readonly string[]): JsonObject {
  const key: JsonObject = {}
  for (const name of fewerOf(item, names)) if (Object.hasOwn(item, name)) setMember(key, name, item[name])
  return key
}

/** Indices of key names, by name. */
const places = new WeakMap<readonly string[], ReadonlyMap<string, number>>()

/**
 * Returns the members that are key names if the item has fewer members than there are key names: there can be as many
 * names as items.
 */
function fewerOf(item: JsonObject, names: readonly string[]): readonly string[] {
  const members = Object.keys(item)
  if (members.length >= names.length) return names
  let known = places.get(names)
  if (known === undefined) {
    known = new Map(names.map((name, i) => [name, i]))
    places.set(names, known)
  }
  const placeOf = known
  return members.filter(name => placeOf.has(name)).sort((a, b) => (placeOf.get(a) ?? 0) - (placeOf.get(b) ?? 0))
}

/** Returns the second index of each identity that occurs more than once. */
function* repeated(list: readonly Json[], identityOf: (item: Json, i: number) => string): Steps<number[]> {
  const times = new Map<string, number>()
  const found: number[] = []
  for (const [i, item] of list.entries()) {
    if (isStepDone()) yield
    const id = identityOf(item, i)
    const before = times.get(id) ?? 0
    times.set(id, before + 1)
    if (before === 1) found.push(i)
  }
  return found
}

/** Returns a text that identifies a value: its JSON with sorted members. */
function valueIdentity(value: Json): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(valueIdentity).join(',')}]`
  return `{${sortedKeys(value)
    .map(key => `${JSON.stringify(key)}:${valueIdentity(value[key] ?? null)}`)
    .join(',')}}`
}
