import { clone, setMember } from '../../meta/equal.ts'
import type { Json } from '../../meta/object.ts'
import { additionalSchema, itemsSchema, type JsonSchemaProps, propertySchema } from './props.ts'

/**
 * Fills in the defaults of a structural schema, in place: where a member is absent, or null that is no value. Within lists and maps a null that is no value becomes the default, too.
 * Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting
 */
export function fillDefaults(value: Json, schema: JsonSchemaProps | undefined): void {
  if (schema === undefined || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    const items = itemsSchema(schema)
    if (items === undefined) return
    for (const [i, item] of value.entries()) {
      if (isWrongNull(item, items)) value[i] = clone(items.default ?? null)
      fillDefaults(value[i] as Json, items)
    }
    return
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined || property.default === null) continue
    const present = Object.hasOwn(value, name)
    if (!present || isWrongNull(value[name] as Json, property)) setMember(value, name, clone(property.default))
  }
  const additional = additionalSchema(schema)
  for (const name of Object.keys(value)) {
    const property = propertySchema(schema, name)
    if (!property && additional && isWrongNull(value[name] as Json, additional)) setMember(value, name, clone(additional.default ?? null))
    fillDefaults(value[name] as Json, property ?? additional)
  }
}

const isWrongNull = (value: Json, schema: JsonSchemaProps): boolean => value === null && schema.nullable !== true
