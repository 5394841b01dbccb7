import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import { encodeJson } from '../codec/json.ts'
import { invariant } from '../lib/invariant.ts'
import { apiVersionOf } from '../meta/gvk.ts'
import type { Json, JsonObject, KubeObject } from '../meta/object.ts'
import { decode } from '../schema/decode.ts'
import { createCodec } from '../storage/resource-codec.ts'
import type { Attributes, ResourceCodec } from '../storage/storage.ts'
import { applyKindDefaults } from './decode-object.ts'

/** How the objects of a resource are stored. Hooks may have left an object in any order and with empty members: what is stored is normal. */
export function codecOf(definition: ResourceDefinition, fingerprint: string): ResourceCodec {
  invariant(definition.storage, `${definition.home.kind} is not stored`)
  const { version } = definition.storage
  const { schema, kind } = version
  const apiVersion = apiVersionOf({ group: version.group, version: version.name })
  return createCodec({
    kind,
    apiVersion,
    fingerprint: `${fingerprint};${apiVersion};${kind}`,
    encode: object => encodeJson(schema, normalized(version, object)),
    decode: value => applyKindDefaults(version, { kind, apiVersion, ...decode(schema, value) } as unknown as KubeObject),
    attributes: object => attributesOf(version, object),
  })
}

/** The object as Go would write it: every member in its place, nothing empty that is left out. */
export function normalized(version: Pick<Version, 'schema'>, object: KubeObject): KubeObject {
  const { kind, apiVersion } = object
  return { kind, apiVersion, ...(decode(version.schema, object as unknown as Json) as JsonObject) } as unknown as KubeObject
}

const NO_LABELS: Record<string, string> = {}

function attributesOf(version: Version, object: KubeObject): Attributes {
  const { name = '', namespace = '', labels = NO_LABELS } = object.metadata
  const fields: Record<string, string> = { 'metadata.name': name, 'metadata.namespace': namespace }
  for (const [field, read] of Object.entries(version.selectableFields ?? {})) fields[field] = read(object)
  return { namespace, name, labels, fields }
}
