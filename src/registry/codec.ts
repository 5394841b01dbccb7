import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import { encodeJson } from '../codec/json.ts'
import { invariant } from '../lib/invariant.ts'
import { clone } from '../meta/equal.ts'
import { apiVersionOf } from '../meta/gvk.ts'
import type { KubeObject } from '../meta/object.ts'
import { decode } from '../schema/decode.ts'
import { createCodec } from '../storage/resource-codec.ts'
import type { Attributes, ResourceCodec } from '../storage/storage.ts'
import { convert, copyIn, normalized, versionsOf } from './convert.ts'
import { applyKindDefaults } from './decode-object.ts'

/** How the objects of a resource are stored: in one version, whichever they come in, and read in whichever they were stored. Hooks may have left an object in any order and with empty members: what is stored is normal. */
export function codecOf(definition: ResourceDefinition, fingerprint: string): ResourceCodec {
  invariant(definition.storage, `${definition.home.kind} is not stored`)
  const { version } = definition.storage
  const { schema, kind } = version
  const apiVersion = apiVersionOf({ group: version.group, version: version.name })
  const several = versionsOf(definition).size > 1
  /** What came in another version has the defaults of that one only; reading what is stored would add those of the stored one. */
  const withDefaults = (object: KubeObject) => {
    const copy = copyIn(definition, object, version)
    return applyKindDefaults(version, copy === object ? clone(object) : copy)
  }
  return createCodec({
    kind,
    apiVersion,
    fingerprint: `${fingerprint};${apiVersion};${kind}`,
    encode: object => encodeJson(schema, normalized(version, several ? withDefaults(object) : object)),
    decode: value => {
      const claimed = (value as { apiVersion?: unknown } | null)?.apiVersion
      const stored = (typeof claimed === 'string' ? versionsOf(definition).get(claimed) : undefined) ?? version
      const object = { kind, apiVersion: claimed ?? apiVersion, ...decode(stored.schema, value) } as unknown as KubeObject
      return convert(definition, applyKindDefaults(stored, object), stored, version)
    },
    attributes: object => attributesOf(version, copyIn(definition, object, version)),
  })
}

const NO_LABELS: Record<string, string> = {}

function attributesOf(version: Version, object: KubeObject): Attributes {
  const { name = '', namespace = '', labels = NO_LABELS } = object.metadata
  const fields: Record<string, string> = { 'metadata.name': name, 'metadata.namespace': namespace }
  for (const [field, read] of Object.entries(version.selectableFields ?? {})) fields[field] = read(object)
  return { namespace, name, labels, fields }
}
