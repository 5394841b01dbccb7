import type { Json } from '../meta/object.ts'
import { type Field, isScalar, type ListSchema, type Schema, type StructSchema } from '../schema/schema.ts'
import type { PathElement } from './path-element.ts'

/**
 * How apply sees a schema. `leaf`: one value. `members`: an object whose members are tracked one by one. `elements`: a list whose elements are tracked by key or
 * value. `any`: no schema, so that the value decides (objects by member, all else one value).
 */
export type Shape = 'leaf' | 'members' | 'elements' | 'any'

/** How apply sees values of a schema; called for every value, so it looks nothing up. */
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
      // Upstream lists this type as one value; other free-form values are seen through.
      return schema.goType === 'runtime.RawExtension' ? 'leaf' : 'any'
    case 'json':
    case 'union':
      return 'any'
    default:
      return 'leaf'
  }
}

/** A set or a list of type map: its elements are tracked one by one. */
export const tracksElements = (schema: Schema | undefined): schema is ListSchema =>
  schema?.type === 'list' && (schema.listType === 'set' || schema.listType === 'map')

/** The schema of a member; undefined: none is declared. */
export function memberSchema(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema?.type === 'struct') return fieldOf(schema, name)?.schema ?? (schema.typeMeta && (name === 'kind' || name === 'apiVersion') ? TEXT : undefined)
  return schema?.type === 'map' ? schema.values : undefined
}

/** A field by either of its spellings. */
const fieldOf = (schema: StructSchema, name: string): Field | undefined =>
  schema.fields.get(name) ?? (name.startsWith('x-') ? aliasesOf(schema).get(name) : undefined)

const aliases = new WeakMap<StructSchema, ReadonlyMap<string, Field>>()

/** Fields by their other spelling. An object of a custom kind may have as many unknown members as its type has fields. */
function aliasesOf(schema: StructSchema): ReadonlyMap<string, Field> {
  let known = aliases.get(schema)
  if (!known) {
    known = new Map([...schema.fields.values()].flatMap(field => (field.alias === undefined ? [] : [[field.alias, field] as const])))
    aliases.set(schema, known)
  }
  return known
}

const TEXT: Schema = { type: 'string', goType: 'string' }

/** A declared member of a struct, as comparisons meet it. */
export interface Member {
  readonly element: PathElement
  readonly schema: Schema
  /** Its place among the struct's members sorted by name. */
  readonly rank: number
}

const members = new WeakMap<StructSchema, ReadonlyMap<string, Member>>()

/** The declared members by name. */
export function membersOf(schema: StructSchema): ReadonlyMap<string, Member> {
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

/** A list key, with what stands for it in an element that omits it; undefined: it must be there. */
export interface ListKey {
  readonly name: string
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

/** A marker's default, or else the zero value of a scalar that is always written. */
function fallbackOf(items: StructSchema, name: string): Json | undefined {
  const field = items.fields.get(name)
  return field && (field.default ?? zeroOf(field))
}

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
