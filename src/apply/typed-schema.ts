import type { Json } from '../api/meta/object.ts'
import { type Field, isScalar, type ListSchema, type Schema, type StructSchema } from '../schema/schema.ts'
import type { PathElement } from './path-element.ts'

/**
 * Granularity in which values of a schema are merged and owned. `leaf`: as one value. `members`: an object by its
 * members. `elements`: a list by its items, which have a key or are a set. `any`: no schema, so the value decides
 * (objects by their members, all others as one value).
 */
export type Shape = 'leaf' | 'members' | 'elements' | 'any'

/** Returns the granularity of a schema. It is called for every value, so it makes no lookups. */
export function shapeOf(schema: Schema | undefined): Shape {
  if (schema === undefined) return 'any'
  switch (schema.type) {
    case 'struct':
      return schema.structType === 'atomic' ? 'leaf' : 'members'
    case 'map':
      return schema.mapType === 'atomic' ? 'leaf' : 'members'
    case 'list':
      return tracksElements(schema) ? 'elements' : 'leaf'
    case 'raw':
      // Upstream declares this type as atomic. Other free-form values are untyped.
      return schema.goType === 'runtime.RawExtension' ? 'leaf' : 'any'
    case 'json':
    case 'union':
      return 'any'
    default:
      return 'leaf'
  }
}

/** Whether a schema is a set or a list of type map, whose items are owned one by one. */
export const tracksElements = (schema: Schema | undefined): schema is ListSchema =>
  schema?.type === 'list' && (schema.listType === 'set' || schema.listType === 'map')

/** The schema of a member. Undefined if it is not declared. */
export function memberSchema(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema?.type === 'struct')
    return fieldOf(schema, name)?.schema ?? (schema.typeMeta && (name === 'kind' || name === 'apiVersion') ? TEXT : undefined)
  return schema?.type === 'map' ? schema.values : undefined
}

/** The field of a member name, which may be the field's alias. */
const fieldOf = (schema: StructSchema, name: string): Field | undefined =>
  schema.fields.get(name) ?? (name.startsWith('x-') ? aliasesOf(schema).get(name) : undefined)

const aliases = new WeakMap<StructSchema, ReadonlyMap<string, Field>>()

/**
 * Fields by alias. An index, because an object of a custom kind may have many unknown members, each of which is looked
 * up.
 */
function aliasesOf(schema: StructSchema): ReadonlyMap<string, Field> {
  let known = aliases.get(schema)
  if (!known) {
    known = new Map([...schema.fields.values()].flatMap(field => (field.alias === undefined ? [] : [[field.alias, field] as const])))
    aliases.set(schema, known)
  }
  return known
}

const TEXT: Schema = { type: 'string', goType: 'string' }

/** A declared member of a struct. */
export interface StructMember {
  readonly element: PathElement
  readonly schema: Schema
  /** Index among the struct's members, sorted by name. */
  readonly rank: number
}

const members = new WeakMap<StructSchema, ReadonlyMap<string, StructMember>>()

/** The declared members of a struct by name. Computed once. */
export function structMembers(schema: StructSchema): ReadonlyMap<string, StructMember> {
  let known = members.get(schema)
  if (!known) {
    const names = [...new Set([...schema.fields.keys(), ...(schema.typeMeta ? ['kind', 'apiVersion'] : [])])].sort()
    known = new Map(names.map((name, rank) => [name, { element: `f:${name}`, schema: memberSchema(schema, name) ?? TEXT, rank }]))
    members.set(schema, known)
  }
  return known
}

/** The schema below a path element. */
export function childSchema(schema: Schema | undefined, element: PathElement): Schema | undefined {
  if (element.startsWith('f:')) return memberSchema(schema, element.slice(2))
  return schema?.type === 'list' ? schema.items : undefined
}

/** A key of a list of type map. */
export interface ListKey {
  readonly name: string
  /** Value in items that omit the key. Undefined if the key is required. */
  readonly fallback: Json | undefined
}

const keysOfLists = new WeakMap<ListSchema, readonly ListKey[]>()

/** The keys of a list of type map, sorted by name. */
export function listKeys(list: ListSchema): readonly ListKey[] {
  let keys = keysOfLists.get(list)
  if (!keys) {
    const items = list.items.type === 'struct' ? list.items : undefined
    keys = [...(list.listMapKeys ?? [])].sort().map(name => ({ name, fallback: items && fallbackOf(items, name) }))
    keysOfLists.set(list, keys)
  }
  return keys
}

/** The default of the field's marker, or the zero value of a scalar that is never omitted. */
function fallbackOf(items: StructSchema, name: string): Json | undefined {
  const field = items.fields.get(name)
  return field && (field.default ?? zeroOf(field))
}

/** Undefined for a pointer, and for a field that is omitted if it is zero: such a key can be absent. */
function zeroOf(field: Field): Json | undefined {
  if (field.pointer || field.omitEmpty || !isScalar(field.schema)) return undefined
  switch (field.schema.type) {
    case 'string':
      return ''
    case 'integer':
    case 'number':
      return 0
    case 'boolean':
      return false
    default:
      return undefined
  }
}
