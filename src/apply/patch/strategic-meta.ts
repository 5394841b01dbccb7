import type { Schema } from '../../schema/schema.ts'
import { PatchError } from './error.ts'

/** The type of a value, and whether Go holds it by a pointer (which only error texts show). */
export interface PatchType {
  readonly schema: Schema
  readonly pointer: boolean
}

/** A member of a struct whose value is an object. */
export interface StructFieldMeta {
  readonly field: PatchType
  /** Without `retainKeys`, which the server's side of a merge does not look at. */
  readonly strategy: string
  /** Empty where the schema names none. */
  readonly mergeKey: string
}

/** A member of a struct whose value is a list. */
export interface ListFieldMeta {
  readonly items: PatchType
  readonly strategy: string
  /** Empty where the schema names none. */
  readonly mergeKey: string
}

/** What the schema says of a member of a struct. Throws a PatchError (`internal`) where there is no such field or no struct. */
export function structField(type: PatchType, key: string): StructFieldMeta {
  const { schema } = type
  if (schema.type === 'map' || schema.type === 'list')
    throw new PatchError('internal', `merging an object in json but data type is not struct, instead is: ${schema.type === 'map' ? 'map' : 'slice'}`)
  const found = schema.type === 'struct' ? schema.fields.get(key) : undefined
  if (!found) {
    const name = schema.type === 'struct' || schema.type === 'union' ? schema.name : schema.goType.slice(schema.goType.indexOf('.') + 1)
    throw new PatchError('internal', `unable to find api field in struct ${name} for the json field ${JSON.stringify(key)}`)
  }
  const strategies = (found.patchStrategy ?? '').split(',')
  return {
    field: { schema: found.schema, pointer: found.pointer },
    strategy: strategies.find(strategy => strategy !== 'retainKeys') ?? '',
    mergeKey: found.patchMergeKey ?? '',
  }
}

/** The same of a list; its element type. */
export function listField(type: PatchType, key: string): ListFieldMeta {
  const { field, strategy, mergeKey } = structField(type, key)
  if (field.schema.type === 'list') return { items: { schema: field.schema.items, pointer: field.schema.pointerItems === true }, strategy, mergeKey }
  if (field.pointer) return { items: { schema: field.schema, pointer: false }, strategy, mergeKey }
  throw new PatchError('internal', `expected slice or array type, but got: ${type.pointer ? 'ptr' : 'struct'}`)
}

/** reflect's kind of the type, as one error text names it. */
export const kindOf = ({ schema, pointer }: PatchType): string => {
  if (pointer) return 'ptr'
  switch (schema.type) {
    case 'struct':
    case 'union':
      return 'struct'
    case 'map':
      return 'map'
    case 'list':
      return 'slice'
    case 'string':
      return 'string'
    default:
      return schema.goType.includes('.') ? 'struct' : schema.goType
  }
}
