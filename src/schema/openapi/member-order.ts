import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { compareText } from '../../lib/compare-text.ts'
import { isStepDone, type Steps, sortInSteps } from '../../lib/steps.ts'
import { memberNames, noteCopy } from '../../lib/wide-objects.ts'
import { setMember } from '../../meta/equal.ts'
import { hasFewValues } from '../../meta/few-values.ts'
import { sortedJson, sortedJsonInSteps } from '../members.ts'

/**
 * Members of a schema in upstream's order. Extensions follow, sorted by name. Source: SchemaProps of
 * k8s.io/kube-openapi.
 */
const ORDER = [
  'description',
  'type',
  'nullable',
  'format',
  'title',
  'default',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'enum',
  'maxProperties',
  'minProperties',
  'required',
  'items',
  'allOf',
  'oneOf',
  'anyOf',
  'not',
  'properties',
  'additionalProperties',
  '$ref',
]
const RANKS = new Map(ORDER.map((name, i) => [name, i]))
const rankOf = (name: string): number => RANKS.get(name) ?? ORDER.length

const byRank = ([a]: [string, unknown], [b]: [string, unknown]): number => rankOf(a) - rankOf(b) || compareText(a, b)

/**
 * Copies a schema and those within it with members in upstream's order, in steps. Recursive, as deep as the schema is
 * nested.
 */
export function* inMemberOrder(schema: JsonObject): Steps<JsonObject> {
  const out: JsonObject = {}
  for (const [name, value] of Object.entries(schema).sort(byRank)) {
    const copied = hasSchemas(name, value)
      ? yield* orderedMember(name, value)
      : isLarge(name, value)
        ? yield* sortedJsonInSteps(value)
        : copyMember(name, value)
    setMember(out, name, copied)
  }
  return out
}

const WITH_SCHEMAS = new Set(['properties', 'items', 'additionalProperties', 'not', 'allOf', 'anyOf', 'oneOf'])
const hasSchemas = (name: string, value: Json): value is JsonObject | Json[] =>
  WITH_SCHEMAS.has(name) && typeof value === 'object' && value !== null

/** Whether the members of a member's value are sorted by name. */
const isSorted = (name: string): boolean => name === 'default' || name === 'enum'
const isLarge = (name: string, value: Json | undefined): boolean => isSorted(name) && !hasFewValues(value)

/** Copies a member that contains no schemas and is not large. */
const copyMember = (name: string, value: Json): Json => (isSorted(name) ? sortedJson(value) : value)

function* orderedMember(name: string, value: JsonObject | Json[]): Steps<Json> {
  if (name === 'properties') return Array.isArray(value) ? value : yield* orderedProperties(value)
  if (name !== 'allOf' && name !== 'anyOf' && name !== 'oneOf') return Array.isArray(value) ? value : yield* inMemberOrder(value)
  if (!Array.isArray(value)) return value
  const out: Json[] = []
  for (const schema of value) out.push(yield* ordered(schema))
  return out
}

function* orderedProperties(properties: JsonObject): Steps<JsonObject> {
  const names = yield* sortInSteps(yield* memberNames(properties), compareText)
  const out: JsonObject = noteCopy(properties, {})
  for (const name of names) {
    if (isStepDone()) yield
    const schema = properties[name] ?? null
    setMember(out, name, isLeaf(schema) ? leafInOrder(schema) : yield* ordered(schema))
  }
  return out
}

/** Most schemas have no nested ones and no large values, and need no generator. */
function isLeaf(schema: Json): schema is JsonObject {
  if (!isJsonObject(schema)) return false
  for (const name in schema) if (WITH_SCHEMAS.has(name) || isLarge(name, schema[name])) return false
  return true
}

function leafInOrder(schema: JsonObject): JsonObject {
  const out: JsonObject = {}
  for (const [name, value] of Object.entries(schema).sort(byRank)) setMember(out, name, copyMember(name, value))
  return out
}

function* ordered(value: Json): Steps<Json> {
  if (isStepDone()) yield
  return isJsonObject(value) ? yield* inMemberOrder(value) : value
}
