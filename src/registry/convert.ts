import { apiVersionOfVersion } from '../catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import { resultOf, runAtOnce, type Steps } from '../lib/steps.ts'
import { clone } from '../meta/equal.ts'
import { decodedObject, type KubeObject } from '../meta/object.ts'
import { cloneExactlyInSteps } from '../meta/whole-floats.ts'
import { decodeInSteps } from '../schema/decode.ts'
import type { DecodeOptions } from '../schema/decoding.ts'

const known = new WeakMap<ResourceDefinition, ReadonlyMap<string, Version>>()

/** Every version in which an object of the resource can be written, served or not, by apiVersion. */
export function versionsOf(definition: ResourceDefinition): ReadonlyMap<string, Version> {
  let versions = known.get(definition)
  if (!versions) {
    const { hub, storage, versions: served, unserved = [] } = definition
    versions = new Map([hub, ...(storage ? [storage.version] : []), ...served, ...unserved].map(version => [apiVersionOfVersion(version), version]))
    known.set(definition, versions)
  }
  return versions
}

/** An object, which the caller hands over, of one version in another: through the hub version. The same object where both are the same. */
export const convert = (definition: ResourceDefinition, object: KubeObject, from: Version, to: Version): KubeObject =>
  from === to ? object : runAtOnce(convertInSteps(definition, object, from, to))

/** The same in steps, for objects that may be large. */
export function* convertInSteps(definition: ResourceDefinition, object: KubeObject, from: Version, to: Version): Steps<KubeObject> {
  if (from === to) return object
  const { hub } = definition
  const asHub = from === hub ? object : yield* resultOf(from.toHub?.(object) ?? object)
  const converted = to === hub ? asHub : yield* resultOf(to.fromHub?.(asHub) ?? asHub)
  converted.kind = to.kind
  converted.apiVersion = apiVersionOfVersion(to)
  return converted
}

/** The object, which is shared and stays as it is, in the given version, by the version that it says it is of. */
export function copyIn(definition: ResourceDefinition, object: KubeObject, to: Version): KubeObject {
  const from = versionsOf(definition).get(object.apiVersion)
  return from === undefined || from === to ? object : convert(definition, clone(object), from, to)
}

/** The same in steps, for objects that may be large. */
export function* copyInSteps(definition: ResourceDefinition, object: KubeObject, to: Version): Steps<KubeObject> {
  const from = versionsOf(definition).get(object.apiVersion)
  if (from === undefined || from === to) return object
  return yield* convertInSteps(definition, yield* cloneExactlyInSteps(object), from, to)
}

/** The object as Go would write it: every member in its place, nothing empty that is left out. */
export const normalized = (version: Pick<Version, 'schema'>, object: KubeObject): KubeObject => runAtOnce(normalizedInSteps(version, object))

/** The same in steps, for objects that may be large. */
export const normalizedInSteps = (version: Pick<Version, 'schema'>, object: KubeObject): Steps<KubeObject> => written(version, object, { keepEmpty: true })

/** As Go reads it once it has been stored: empty lists are nil. */
export const afterStoring = (version: Pick<Version, 'schema'>, object: KubeObject): Steps<KubeObject> => written(version, object, {})

function* written({ schema }: Pick<Version, 'schema'>, object: KubeObject, options: DecodeOptions): Steps<KubeObject> {
  const { kind, apiVersion } = object
  return decodedObject({ kind, apiVersion, ...(yield* decodeInSteps(schema, object, options)) })
}
