import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import type { Json, JsonObject } from '../../api/meta/object.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import { additionalSchema, isEmbedded, itemsSchema, propertySchema } from './props.ts'

/** Members of every API object, which are never pruned. */
const OBJECT_MEMBERS = new Set(['apiVersion', 'kind', 'metadata'])

/** Called with the path (`spec.list[1].name`) of each removed member. */
export type OnPruned = (path: string) => void

/** A list or object whose members have not been visited. */
interface PendingNode {
  readonly value: JsonObject | Json[]
  readonly schema: JsonSchemaProps | undefined
  /** Whether the value is an API object, whose kind, apiVersion and metadata are kept. */
  readonly isObject: boolean
  readonly path: string
}

/**
 * Removes, in place, the members of a value that its structural schema does not name. `isObject`: whether the value is
 * an API object, whatever its schema declares, and keeps its kind, apiVersion and metadata. Paths are reported in no
 * particular order. Returns whether anything was removed.
 */
export function* prune(value: Json, schema: JsonSchemaProps | undefined, isObject: boolean, onPruned?: OnPruned): Steps<boolean> {
  const places: PendingNode[] = []
  if (typeof value === 'object' && value !== null) places.push({ value, schema, isObject, path: '' })
  let pruned = false
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    if (Array.isArray(place.value)) yield* visitItems(place.value, place, places)
    else pruned = (yield* pruneMembers(place.value, place, places, onPruned)) || pruned
  }
  return pruned
}

function* visitItems(list: readonly Json[], { schema, path }: PendingNode, places: PendingNode[]): Steps<void> {
  const items = schema && itemsSchema(schema)
  // The items of a list that preserves unknown members preserve them, too.
  if (schema?.['x-kubernetes-preserve-unknown-fields'] && items === undefined) return
  const kept = keeping(schema, items)
  for (const [i, item] of list.entries()) {
    if (typeof item === 'object' && item !== null)
      places.push({ value: item, schema: kept, isObject: isEmbedded(items), path: `${path}[${i}]` })
    if (isStepDone()) yield
  }
}

/** Returns the schema of a list's items. They preserve unknown members if the list does. */
const keeping = (list: JsonSchemaProps | undefined, items: JsonSchemaProps | undefined): JsonSchemaProps | undefined =>
  list?.['x-kubernetes-preserve-unknown-fields'] && items ? { ...items, 'x-kubernetes-preserve-unknown-fields': true } : items

function* pruneMembers(
  object: JsonObject,
  { schema, isObject, path }: PendingNode,
  places: PendingNode[],
  onPruned: OnPruned | undefined,
): Steps<boolean> {
  let pruned = false
  const keep = schema?.['x-kubernetes-preserve-unknown-fields'] === true
  const additional = schema && additionalSchema(schema)
  for (const name of yield* memberNames(object)) {
    if (isStepDone()) yield
    const member = object[name]
    if (isObject && OBJECT_MEMBERS.has(name)) continue
    const property = schema && propertySchema(schema, name)
    if (property !== undefined || schema?.additionalProperties !== undefined) {
      if (typeof member !== 'object' || member === null) continue
      const inner = property ?? additional
      places.push({ value: member, schema: inner, isObject: isEmbedded(inner), path: prunedPath(path, name) })
    } else if (!keep) {
      delete object[name]
      onPruned?.(prunedPath(path, name))
      pruned = true
    }
  }
  return pruned
}

const prunedPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)
