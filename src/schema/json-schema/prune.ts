import type { Json, JsonObject } from '../../meta/object.ts'
import { additionalSchema, itemsSchema, type JsonSchemaProps, propertySchema } from './props.ts'

/** Members of every object of the API, which are never pruned from one. */
const OBJECT_MEMBERS = new Set(['apiVersion', 'kind', 'metadata'])

/** Told the path (`spec.list[1].name`) of each member that is removed. */
export type OnPruned = (path: string) => void

/**
 * Removes, in place, the members of a value that its structural schema does not name. `isObject`: the value is an object of the API itself, whatever the schema says, and
 * keeps its kind, apiVersion and metadata. `at`: the path of the value. Says whether anything was removed.
 */
export function prune(value: Json, schema: JsonSchemaProps | undefined, isObject: boolean, onPruned?: OnPruned, at = ''): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) {
    const items = schema && itemsSchema(schema)
    // Within a list whose unknown members are kept, its items' are kept, too.
    const kept = schema?.['x-kubernetes-preserve-unknown-fields'] && items === undefined
    return kept ? false : value.map((item, i) => prune(item, keeping(schema, items), isEmbedded(items), onPruned, `${at}[${i}]`)).includes(true)
  }
  return pruneMembers(value, schema, isObject, onPruned, at)
}

const isEmbedded = (schema: JsonSchemaProps | undefined): boolean => schema?.['x-kubernetes-embedded-resource'] === true

/** The schema of a list's items, whose unknown members are kept where the list's are. */
const keeping = (list: JsonSchemaProps | undefined, items: JsonSchemaProps | undefined): JsonSchemaProps | undefined =>
  list?.['x-kubernetes-preserve-unknown-fields'] && items ? { ...items, 'x-kubernetes-preserve-unknown-fields': true } : items

function pruneMembers(value: JsonObject, schema: JsonSchemaProps | undefined, isObject: boolean, onPruned: OnPruned | undefined, at: string): boolean {
  let pruned = false
  const keep = schema?.['x-kubernetes-preserve-unknown-fields'] === true
  for (const [name, member] of Object.entries(value)) {
    if (isObject && OBJECT_MEMBERS.has(name)) continue
    const path = at === '' ? name : `${at}.${name}`
    const property = schema && propertySchema(schema, name)
    if (property !== undefined) pruned = prune(member, property, isEmbedded(property), onPruned, path) || pruned
    else if (schema?.additionalProperties !== undefined) {
      const additional = additionalSchema(schema)
      pruned = prune(member, additional, isEmbedded(additional), onPruned, path) || pruned
    } else if (!keep) {
      delete value[name]
      onPruned?.(path)
      pruned = true
    }
  }
  return pruned
}
