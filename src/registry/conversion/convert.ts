import { decodedObject, type KubeObject } from '../../api/meta/object.ts'
import { apiVersionOfVersion } from '../../catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../../catalog/definition.ts'
import { runAtOnce, runIfSteps, type Steps } from '../../lib/steps.ts'
import { clone } from '../../meta/equal.ts'
import { cloneExactlyInSteps } from '../../meta/whole-floats.ts'
import { decodeInSteps } from '../../schema/decode.ts'
import type { DecodeOptions } from '../../schema/decoding.ts'

const known = new WeakMap<ResourceDefinition, ReadonlyMap<string, Version>>()

/** All versions of a resource by apiVersion, whether or not they are served. */
export function versionsOf(definition: ResourceDefinition): ReadonlyMap<string, Version> {
  let versions = known.get(definition)
  if (!versions) {
    const { hub, storage, versions: served, unserved = [] } = definition
    versions = new Map(
      [hub, ...(storage ? [storage.version] : []), ...served, ...unserved].map(version => [apiVersionOfVersion(version), version]),
    )
    known.set(definition, versions)
  }
  return versions
}

/**
 * Converts an object through the hub version. Takes ownership of the object, and returns it unchanged if both versions
 * are the same.
 */
export const convert = (definition: ResourceDefinition, object: KubeObject, from: Version, to: Version): KubeObject =>
  from === to ? object : runAtOnce(convertInSteps(definition, object, from, to))

/** `convert` in steps, for objects that may be large. */
export function* convertInSteps(definition: ResourceDefinition, object: KubeObject, from: Version, to: Version): Steps<KubeObject> {
  if (from === to) return object
  const { hub } = definition
  const asHub = from === hub ? object : yield* runIfSteps(from.toHub?.(object) ?? object)
  const converted = to === hub ? asHub : yield* runIfSteps(to.fromHub?.(asHub) ?? asHub)
  converted.kind = to.kind
  converted.apiVersion = apiVersionOfVersion(to)
  return converted
}

/**
 * Converts a shared object from the version that its apiVersion names. The object is not changed; it is returned itself
 * if it needs no conversion or its apiVersion is unknown.
 */
export function copyIn(definition: ResourceDefinition, object: KubeObject, to: Version): KubeObject {
  const from = versionsOf(definition).get(object.apiVersion)
  return from === undefined || from === to ? object : convert(definition, clone(object), from, to)
}

/** `copyIn` in steps, for objects that may be large. */
export function* copyInSteps(definition: ResourceDefinition, object: KubeObject, to: Version): Steps<KubeObject> {
  const from = versionsOf(definition).get(object.apiVersion)
  if (from === undefined || from === to) return object
  return yield* convertInSteps(definition, yield* cloneExactlyInSteps(object), from, to)
}

/** The object as Go marshals it: members in the order of the schema, empty `omitempty` members omitted. */
export const normalized = (version: Pick<Version, 'schema'>, object: KubeObject): KubeObject =>
  runAtOnce(normalizedInSteps(version, object))

/** `normalized` in steps, for objects that may be large. */
export const normalizedInSteps = (version: Pick<Version, 'schema'>, object: KubeObject): Steps<KubeObject> =>
  written(version, object, { keepEmpty: true })

/** The object as Go reads it back from the store: empty lists are nil. */
export const afterStoring = (version: Pick<Version, 'schema'>, object: KubeObject): Steps<KubeObject> => written(version, object, {})

function* written({ schema }: Pick<Version, 'schema'>, object: KubeObject, options: DecodeOptions): Steps<KubeObject> {
  const { kind, apiVersion } = object
  return decodedObject({ kind, apiVersion, ...(yield* decodeInSteps(schema, object, options)) })
}
