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
  for (const name of Object.keys(value)) {
    const member = schema && (propertySchema(schema, name) ?? additionalSchema(schema))
    if (value[name] === null && member !== undefined && !member.nullable && member.default === undefined) delete value[name]
    else pruneNulls(value[name] as Json, member)
  }
}
