import { decodedObject, isJsonObject, type Json, type KubeObject } from '../api/meta/object.ts'
import type { Version } from '../catalog/definition.ts'
import { runAtOnce, type Steps } from '../lib/steps.ts'
import { turnIsLong } from '../lib/turn.ts'
import { decodeInSteps as decodeValueInSteps } from '../schema/decode.ts'
import type { StructSchema } from '../schema/schema.ts'

/** A type that can be decoded: a version, or the kind of a subresource. */
export type Decodable = Pick<Version, 'schema' | 'setDefaults'>

/**
 * Sets the defaults of the schema's markers, then those of the kind's own function. Changes the object in place and
 * returns it.
 */
export const applyKindDefaults = (target: Decodable, object: KubeObject): KubeObject => runAtOnce(applyDefaultsInSteps(target, object))

/** `applyKindDefaults` in steps, for objects that may be large. */
export function* applyDefaultsInSteps(target: Decodable, object: KubeObject): Steps<KubeObject> {
  const rest = target.schema.form.setDefaults(target.schema, object)
  if (rest) yield* rest
  const steps = target.setDefaults?.(object)
  if (steps) {
    if (turnIsLong()) yield
    yield* steps
  }
  return object
}

/**
 * Decodes a JSON value into a defaulted object. Kind and apiVersion are those of the value. `onUnknown` is called with
 * the path of each unknown field. Throws a DecodeError.
 */
export const decodeObject = (target: Decodable, value: Json, onUnknown?: (path: string) => void): KubeObject =>
  runAtOnce(decodeInSteps(target, value, onUnknown))

/** `decodeObject` in steps, for values that may be large. */
export function* decodeInSteps(target: Decodable, value: Json, onUnknown?: (path: string) => void): Steps<KubeObject> {
  const decoded = decodedObject(yield* decodeValueInSteps(target.schema, value, { keepEmpty: true, ...(onUnknown && { onUnknown }) }))
  if (turnIsLong()) yield
  const object = yield* applyDefaultsInSteps(target, decoded)
  keepManagerReset(target.schema, value, object)
  return object
}

/**
 * Restores an empty list of managed fields, which resets field tracking; decoding drops empty lists. Of a custom
 * resource, an empty list counts as none, as upstream: only `[{}]` resets it.
 */
export function keepManagerReset({ form }: StructSchema, value: Json, object: KubeObject): void {
  if (form.name !== 'typed') return
  const metadata = isJsonObject(value) ? value.metadata : undefined
  const entries = isJsonObject(metadata) ? metadata.managedFields : undefined
  if (Array.isArray(entries) && entries.length === 0) object.metadata.managedFields = []
}
