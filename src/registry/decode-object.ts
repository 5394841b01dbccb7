import type { Version } from '../catalog/definition.ts'
import { runAtOnce, type Steps } from '../lib/steps.ts'
import { decodedObject, isJsonObject, type Json, type KubeObject } from '../meta/object.ts'
import { decodeInSteps as decodeValueInSteps } from '../schema/decode.ts'
import { applyDefaults } from '../schema/default.ts'

/** What decoding needs of a version, or of the kind of a subresource. */
export type Decodable = Pick<Version, 'schema' | 'setDefaults'>

/** Fills in the defaults of markers and of the kind's own function, in place. */
export const applyKindDefaults = (target: Decodable, object: KubeObject): KubeObject => runAtOnce(applyDefaultsInSteps(target, object))

/** The same in steps, for objects that may be large. */
export function* applyDefaultsInSteps(target: Decodable, object: KubeObject): Steps<KubeObject> {
  applyDefaults(target.schema, object)
  const steps = target.setDefaults?.(object)
  if (steps) {
    yield
    yield* steps
  }
  return object
}

/** A value of the JSON data model as a defaulted object. Its kind and apiVersion are those of the value. Throws DecodeError. */
export const decodeObject = (target: Decodable, value: Json, onUnknown?: (path: string) => void): KubeObject =>
  runAtOnce(decodeInSteps(target, value, onUnknown))

/** The same in steps, for values that may be large. */
export function* decodeInSteps(target: Decodable, value: Json, onUnknown?: (path: string) => void): Steps<KubeObject> {
  const decoded = decodedObject(yield* decodeValueInSteps(target.schema, value, { keepEmpty: true, ...(onUnknown && { onUnknown }) }))
  yield
  const object = yield* applyDefaultsInSteps(target, decoded)
  keepManagerReset(value, object)
  return object
}

/** An empty list of managed fields asks to give up tracking; decoding drops empty lists. */
export function keepManagerReset(value: Json, object: KubeObject): void {
  const metadata = isJsonObject(value) ? value.metadata : undefined
  const entries = isJsonObject(metadata) ? metadata.managedFields : undefined
  if (Array.isArray(entries) && entries.length === 0) object.metadata.managedFields = []
}
