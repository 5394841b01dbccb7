import type { Json } from '../../meta/object.ts'
import { additionalSchema, itemsSchema, type JsonSchemaProps, propertySchema } from './props.ts'

/** Removes, in place, members that are null where their schema neither allows that nor has a default for them. Items of lists stay. */
export function pruneNulls(value: Json, schema: JsonSchemaProps | undefined): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    const items = schema && itemsSchema(schema)
    for (const item of value) pruneNulls(item, items)
    return
  }
  for (const [name, member] of Object.entries(value)) {
    const inner = schema && (propertySchema(schema, name) ?? additionalSchema(schema))
    if (member === null && inner !== undefined && !inner.nullable && inner.default === undefined) delete value[name]
    else pruneNulls(member, inner)
  }
}
