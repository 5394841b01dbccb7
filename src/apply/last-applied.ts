import { isJsonObject, type Json, type JsonObject, type KubeObject } from '../api/meta/object.ts'
import { goJsonInSteps } from '../codec/json-in-steps.ts'
import { runIfSteps, type Steps } from '../lib/steps.ts'
import type { StructSchema } from '../schema/schema.ts'
import { difference } from './field-set.ts'
import type { FieldSet } from './set-node.ts'
import { compareObjects } from './typed.ts'
import { toFieldSet } from './typed-paths.ts'
import { validateTyped } from './typed-validate.ts'

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration'
/** Limit of the total size of all annotations, names and values, in bytes. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024

/** Whether the object has the annotation of a client-side apply. */
export const annotated = (object: KubeObject): boolean => !!object.metadata.annotations?.[ANNOTATION]

/**
 * Returns the fields of the last client-side apply that have not changed since. Undefined if the annotation is missing,
 * malformed or of another version, or if it or the object does not match the schema.
 */
export function* lastAppliedSet(schema: StructSchema, live: KubeObject, apiVersion: string): Steps<FieldSet | undefined> {
  let last: Json
  try {
    last = JSON.parse(live.metadata.annotations?.[ANNOTATION] ?? '')
  } catch {
    return undefined
  }
  if (!isJsonObject(last) || last.apiVersion !== apiVersion) return undefined
  if ((yield* validateTyped(schema, live)).length > 0 || (yield* validateTyped(schema, last)).length > 0) return undefined
  const { added, modified, removed } = yield* compareObjects(schema, last, live)
  let set = yield* toFieldSet(schema, last)
  for (const changed of [modified, added, removed]) set = yield* runIfSteps(difference(set, changed))
  return set
}

/**
 * Sets the annotation as a client-side apply would, or removes it if the annotations would be too large. Returns a
 * copy.
 */
export function* updatedLastApplied(object: KubeObject, config: JsonObject): Steps<KubeObject> {
  const parts = yield* goJsonInSteps(withoutAnnotation(config))
  const annotations: Record<string, string> = { ...object.metadata.annotations, [ANNOTATION]: `${parts.join('')}\n` }
  let size = 0
  for (const [name, value] of Object.entries(annotations)) size += Buffer.byteLength(name) + Buffer.byteLength(value)
  if (size > MAX_ANNOTATIONS_BYTES) delete annotations[ANNOTATION]
  return { ...object, metadata: { ...object.metadata, annotations } }
}

/** Removes the annotation from a configuration: its value never includes itself. */
function withoutAnnotation(config: JsonObject): JsonObject {
  const { metadata } = config
  const annotations = isJsonObject(metadata) ? metadata.annotations : undefined
  if (!isJsonObject(metadata) || !isJsonObject(annotations) || !Object.hasOwn(annotations, ANNOTATION)) return config
  const { [ANNOTATION]: _, ...others } = annotations
  return { ...config, metadata: { ...metadata, annotations: others } }
}
