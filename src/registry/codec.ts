import { apiVersionOfVersion } from '../catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import { encodeJsonInSteps } from '../codec/json.ts'
import { encodeProtobuf, unwrap } from '../codec/protobuf.ts'
import { decodeMessage } from '../codec/protobuf-decode.ts'
import { invariant } from '../lib/invariant.ts'
import type { Steps } from '../lib/steps.ts'
import { clone } from '../meta/equal.ts'
import type { GroupResource } from '../meta/gvk.ts'
import { decodedObject, isJsonObject, type Json, type KubeObject, type ObjectMeta } from '../meta/object.ts'
import type { StructSchema } from '../schema/schema.ts'
import type { ByteBudget } from '../storage/byte-budget.ts'
import { createCodec } from '../storage/resource-codec.ts'
import type { Attributes, ResourceCodec } from '../storage/storage.ts'
import type { Transformer } from '../storage/value/transformer.ts'
import { conversionOf } from './conversion-of.ts'
import { afterStoring, copyInSteps, versionsOf } from './convert.ts'
import { applyDefaultsInSteps, applyKindDefaults } from './decode-object.ts'
import type { LegacyFields } from './object-meta.ts'
import { registryFormOf } from './registry-form.ts'

/** The form of what is written; both are always read. */
export type StoredForm = 'json' | 'protobuf'

/**
 * How the objects of a resource are stored: in one version, whichever they come in, and read in whichever they were stored, where they stay if a webhook converts them. Objects of
 * a custom kind that are stored in a version which its definition does not have cannot be read. Hooks may have left an object in any order and with empty members: what is stored is
 * normal.
 */
export function codecOf(
  definition: ResourceDefinition,
  fingerprint: string,
  storedAs: StoredForm = 'json',
  transformer?: Transformer,
  derived?: ByteBudget,
): ResourceCodec {
  invariant(definition.storage, `${definition.hub.kind} is not stored`)
  const { version, indexedBy, defaultsStatus } = definition.storage
  const { schema, kind } = version
  const apiVersion = apiVersionOfVersion(version)
  const form = registryFormOf(schema)
  const several = versionsOf(definition).size > 1
  /** What came in another version has the defaults of that one only; reading what is stored would add those of the stored one. */
  const withDefaults = function* (object: KubeObject): Steps<KubeObject> {
    const copy = yield* copyInSteps(definition, object, version)
    const own = copy === object ? clone(object) : copy
    yield
    return yield* applyDefaultsInSteps(version, own)
  }
  const { isKept, fromStore, toSelect } = conversionOf(definition).codec
  /** Kind and apiVersion are those of the stored version, whatever a patch or a webhook has made of them: readers of the bytes count on it. */
  const asStored = function* (object: KubeObject): Steps<KubeObject> {
    const kept = isKept(object)
    // What was read in another version, and stays in it, has its defaults.
    const stored = yield* afterStoring(version, several && !kept ? yield* withDefaults(object) : object)
    stored.kind = kind
    if (defaultsStatus?.(object)) delete stored.status
    const meta: ObjectMeta & LegacyFields = stored.metadata
    delete meta.selfLink
    if (!kept) stored.apiVersion = apiVersion
    yield
    return stored
  }
  const versionBy = (claimed: unknown): Version => {
    const known = typeof claimed === 'string' ? versionsOf(definition).get(claimed) : undefined
    if (known === undefined) form.checkVersion(claimed)
    return known ?? version
  }
  const read = (value: Json, claimed: unknown): KubeObject => {
    const stored = versionBy(claimed)
    const object = decodedObject({ kind, apiVersion, ...stored.schema.form.readStored(stored.schema, value) })
    // Another program may have written it under another name.
    object.kind = stored.kind
    object.apiVersion = apiVersionOfVersion(stored)
    return fromStore(applyKindDefaults(stored, object), stored)
  }
  return createCodec({
    kind,
    apiVersion,
    fingerprint: `${fingerprint};${apiVersion};${kind}${schema.form.id && `;${schema.form.id}`}`,
    order: form.order,
    ...(defaultsStatus && { isComplete: object => !defaultsStatus(object) }),
    *encode(object) {
      return yield* encodeJsonInSteps(schema, yield* asStored(object))
    },
    ...(form.emptyMetadata && { emptyMetadata: form.emptyMetadata }),
    decode: value => read(value, isJsonObject(value) ? value.apiVersion : undefined),
    ...(hasMessage(schema) && {
      binary: {
        decode: stored => {
          const { apiVersion: claimed, message } = unwrap(stored)
          return read(decodeMessage(versionBy(claimed).schema, message), claimed)
        },
        *encode(object) {
          return encodeProtobuf(schema, { kind, apiVersion }, yield* asStored(object))
        },
        isWritten: storedAs === 'protobuf',
      },
    }),
    ...(transformer && { transformer }),
    ...(derived && { derived }),
    ...(indexedBy && { indexedPath: indexedBy.path }),
    attributes: object => attributesOf(definition, toSelect(object)),
  })
}

/** By which name a resource is encrypted. Events stand in two groups: as kube-apiserver does, they are stored as those of the core group. */
export const storedAsOf = ({ hub, versions }: ResourceDefinition): GroupResource => ({
  group: (versions.find(({ group }) => group === '') ?? hub).group,
  resource: hub.names.plural,
})

/** Kinds whose fields have no numbers, such as custom ones, have no binary form. */
const hasMessage = ({ fields }: StructSchema): boolean => [...fields.values()].some(field => field.number > 0)

const NO_LABELS: Record<string, string> = {}

/** What selectors look at. Custom kinds have the selectable fields of their stored version, built-in ones those of the resource. */
function attributesOf({ storage }: ResourceDefinition, object: KubeObject): Attributes {
  const { name = '', namespace = '', labels = NO_LABELS } = object.metadata
  const fields: Record<string, string> = { 'metadata.name': name, 'metadata.namespace': namespace }
  for (const [field, read] of Object.entries(storage?.fields ?? storage?.version.selectableFields ?? {})) fields[field] = read(object)
  return { namespace, name, labels, fields }
}
