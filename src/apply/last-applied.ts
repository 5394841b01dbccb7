import { goJson } from '../codec/json.ts'
import { resultOf, type Steps } from '../lib/steps.ts'
import { isJsonObject, type Json, type JsonObject, type KubeObject } from '../meta/object.ts'
import type { StructSchema } from '../schema/schema.ts'
import { difference } from './field-set.ts'
import type { FieldSet } from './set-node.ts'
import { compare } from './typed.ts'
import { toFieldSet } from './typed-paths.ts'
import { validateTyped } from './typed-validate.ts'

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration'
/** The limit of all annotations together: names and values. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024

/** Whether kubectl has applied the object by itself. */
export const annotated = (object: KubeObject): boolean => !!object.metadata.annotations?.[ANNOTATION]

/** What kubectl applied by itself and is still so; undefined if the annotation is missing, malformed or of another version. */
export function* lastAppliedSet(schema: StructSchema, live: KubeObject, apiVersion: string): Steps<FieldSet | undefined> {
  let last: Json
  try {
    last = JSON.parse(live.metadata.annotations?.[ANNOTATION] ?? '')
  } catch {
    return undefined
  }
  if (!isJsonObject(last) || last.apiVersion !== apiVersion) return undefined
  if ((yield* validateTyped(schema, live)).length > 0 || (yield* validateTyped(schema, last)).length > 0) return undefined
  const { added, modified, removed } = yield* compare(schema, last, live)
  let set = yield* toFieldSet(schema, last)
  for (const changed of [modified, added, removed]) set = yield* resultOf(difference(set, changed))
  return set
}

/** The object with the annotation that kubectl would have written; without it, if annotations would be too large. */
export function updatedLastApplied(object: KubeObject, config: JsonObject): KubeObject {
  const annotations: Record<string, string> = { ...object.metadata.annotations, [ANNOTATION]: `${goJson(withoutAnnotation(config))}\n` }
  let size = 0
  for (const [name, value] of Object.entries(annotations)) size += Buffer.byteLength(name) + Buffer.byteLength(value)
  if (size > MAX_ANNOTATIONS_BYTES) delete annotations[ANNOTATION]
  return { ...object, metadata: { ...object.metadata, annotations } }
}

/** The annotation holds the configuration as it was before it had the annotation. */
function withoutAnnotation(config: JsonObject): JsonObject {
  const { metadata } = config
  const annotations = isJsonObject(metadata) ? metadata.annotations : undefined
  if (!isJsonObject(metadata) || !isJsonObject(annotations) || !Object.hasOwn(annotations, ANNOTATION)) return config
  const { [ANNOTATION]: _, ...others } = annotations
  return { ...config, metadata: { ...metadata, annotations: others } }
}
