import type { Schema } from '../../schema/schema.ts'
import { PatchError } from './error.ts'

/** The type of a value, and whether its Go type is a pointer, which only error messages show. */
export interface PatchType {
  readonly schema: Schema
  readonly pointer: boolean
}

/** A member of a struct whose value is an object. */
export interface StructFieldMeta {
  readonly field: PatchType
  /** The patch strategy without `retainKeys`, which the server ignores. */
  readonly strategy: string
  /** The patch merge key. Empty if the schema has none. */
  readonly mergeKey: string
}

/** A member of a struct whose value is a list. */
export interface ListFieldMeta {
  readonly items: PatchType
  readonly strategy: string
  /** The patch merge key. Empty if the schema has none. */
  readonly mergeKey: string
}

/**
 * Returns the patch metadata of a struct's member. Throws a PatchError `internal` if the type is not a struct or has no
 * such field.
 */
export function structField(type: PatchType, key: string): StructFieldMeta {
  const { schema } = type
  if (schema.type === 'map' || schema.type === 'list')
    throw new PatchError(
      'internal',
      `merging an object in json but data type is not struct, instead is: ${schema.type === 'map' ? 'map' : 'slice'}`,
    )
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

/** Returns the patch metadata of a member that is a list. Throws a PatchError `internal` if there is none. */
export function listField(type: PatchType, key: string): ListFieldMeta {
  const { field, strategy, mergeKey } = structField(type, key)
  if (field.schema.type === 'list')
    return { items: { schema: field.schema.items, pointer: field.schema.pointerItems === true }, strategy, mergeKey }
  if (field.pointer) return { items: { schema: field.schema, pointer: false }, strategy, mergeKey }
  throw new PatchError('internal', `expected slice or array type, but got: ${type.pointer ? 'ptr' : 'struct'}`)
}

/** The reflect.Kind of a type, for an error message. */
export const reflectKind = ({ schema, pointer }: PatchType): string => {
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
