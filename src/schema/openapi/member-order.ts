import { compareText } from '../../lib/compare-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../meta/object.ts'
import { sortedJson } from '../members.ts'

/** Members of a schema in upstream's order; extensions follow by name. Source: SchemaProps of k8s.io/kube-openapi. */
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
const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => compareText(a, b)

/** A schema with its members, and those of the schemas within, in the order in which upstream writes them. Runs as deep as the schema is nested. */
export const inMemberOrder = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schema)
      .sort(byRank)
      .map(([name, value]) => [name, orderedMember(name, value)]),
  )

function orderedMember(name: string, value: Json): Json {
  switch (name) {
    case 'properties':
      return isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(byName).map(orderedProperty)) : value
    case 'items':
    case 'additionalProperties':
    case 'not':
      return ordered(value)
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      return Array.isArray(value) ? value.map(ordered) : value
    case 'default':
    case 'enum':
      return sortedJson(value)
    default:
      return value
  }
}

const orderedProperty = ([name, schema]: [string, Json]): [string, Json] => [name, ordered(schema)]

const ordered = (value: Json): Json => (isJsonObject(value) ? inMemberOrder(value) : value)
