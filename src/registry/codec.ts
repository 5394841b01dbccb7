import { decodedObject, isJsonObject, type Json, type KubeObject, type ObjectMeta } from '../api/meta/object.ts'
import type { GroupResource } from '../api/meta/v1.types.ts'
import { apiVersionOfVersion } from '../catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import { cborBody, encodeCborInSteps } from '../codec/cbor.ts'
import { encodeJsonInSteps } from '../codec/json.ts'
import { unwrap } from '../codec/protobuf.ts'
import { decodeMessageInSteps } from '../codec/protobuf-decode.ts'
import { encodeProtobufInSteps } from '../codec/protobuf-encode-in-steps.ts'
import { invariant } from '../lib/invariant.ts'
import type { Steps } from '../lib/steps.ts'
import { turnIsLong } from '../lib/turn.ts'
import { cloneInSteps } from '../meta/whole-floats.ts'
import { decodeInSteps } from '../schema/decode.ts'
import type { StructSchema } from '../schema/schema.ts'
import type { ByteBudget } from '../storage/byte-budget.ts'
import { type CodecOptions, createCodec } from '../storage/resource-codec.ts'
import type { Attributes, ResourceCodec } from '../storage/storage.ts'
import type { Transformer } from '../storage/value/transformer.ts'
import { conversionOf } from './conversion/conversion-of.ts'
import { afterStoring, copyInSteps, versionsOf } from './conversion/convert.ts'
import { applyDefaultsInSteps } from './decode-object.ts'
import type { LegacyFields } from './object-meta.ts'
import { registryFormOf } from './registry-form.ts'

/**
 * Encoding of new writes. Objects in any encoding of their kind can always be read: `protobuf` is for built-in kinds,
 * `cbor` for custom ones.
 */
export type StoredForm = 'json' | 'protobuf' | 'cbor'

/**
 * Returns the codec of a resource's stored objects. Writes use the storage version. Reads accept every version of the
 * definition; custom objects with several versions keep the version in which they were stored until the next write. An
 * object of a custom kind is corrupt if its definition does not have the version. `encode` normalizes: hooks may leave
 * members in any order, and empty.
 */
export function codecOf(
  definition: ResourceDefinition,
  fingerprint: string,
  storedAs: StoredForm = 'json',
  transformer?: Transformer,
  derived?: ByteBudget,
): ResourceCodec {
  invariant(definition.storage, `${definition.hub.kind} is not stored`)
  const { version, indexedBy, defaultsStatus, lacksDefaults } = definition.storage
  const { schema, kind } = version
  const apiVersion = apiVersionOfVersion(version)
  const form = registryFormOf(schema)
  const { toSelect } = conversionOf(definition).codec
  const asStored = storingOf(definition, definition.storage)
  const { versionBy, read } = readingOf(definition, version)
  return createCodec({
    kind,
    apiVersion,
    fingerprint: `${fingerprint};${apiVersion};${kind}${schema.form.id && `;${schema.form.id}`}`,
    order: form.order,
    ...((defaultsStatus || lacksDefaults) && {
      isComplete: object => defaultsStatus?.(object) !== true && lacksDefaults?.(object) !== true,
    }),
    *encode(object) {
      return yield* encodeJsonInSteps(schema, yield* asStored(object))
    },
    ...(form.emptyMetadata && { emptyMetadata: form.emptyMetadata }),
    decode: value => read(value, isJsonObject(value) ? value.apiVersion : undefined),
    ...(hasMessage(schema) && {
      binary: {
        *decode(stored) {
          const { apiVersion: claimed, message } = unwrap(stored)
          return yield* read(yield* decodeMessageInSteps(versionBy(claimed).schema, message), claimed)
        },
        *encode(object) {
          return yield* encodeProtobufInSteps(schema, { kind, apiVersion }, yield* asStored(object))
        },
        isWritten: storedAs === 'protobuf',
      },
    }),
    ...(schema.form.name === 'unstructured' && { cbor: cborForm(schema, asStored, storedAs === 'cbor') }),
    ...(transformer && { transformer }),
    ...(derived && { derived }),
    ...(indexedBy && { indexedPath: indexedBy.path }),
    attributes: object => attributesOf(definition, toSelect(object)),
  })
}

type StoredDefinition = NonNullable<ResourceDefinition['storage']>

/**
 * Returns the steps that normalize an object for the store. They set kind and apiVersion, which a patch or a webhook
 * may have changed: readers of the bytes rely on them.
 */
function storingOf(
  definition: ResourceDefinition,
  { version, defaultsStatus }: StoredDefinition,
): (object: KubeObject) => Steps<KubeObject> {
  const several = versionsOf(definition).size > 1
  const { isKept } = conversionOf(definition).codec
  /**
   * Adds the defaults of the storage version. An object of another version has only its own; a later read would add the
   * others, and the object would seem to have changed.
   */
  const withDefaults = function* (object: KubeObject): Steps<KubeObject> {
    const copy = yield* copyInSteps(definition, object, version)
    const own = copy === object ? yield* cloneInSteps(object) : copy
    if (turnIsLong()) yield
    return yield* applyDefaultsInSteps(version, own)
  }
  return function* (object) {
    const kept = isKept(object)
    // An object that keeps its version was defaulted when it was read.
    const stored = yield* afterStoring(version, several && !kept ? yield* withDefaults(object) : object)
    stored.kind = version.kind
    if (defaultsStatus?.(object)) delete stored.status
    const meta: ObjectMeta & LegacyFields = stored.metadata
    delete meta.selfLink
    if (!kept) stored.apiVersion = apiVersionOfVersion(version)
    if (turnIsLong()) yield
    return stored
  }
}

interface Reading {
  /** Returns the version that stored bytes claim. The storage version if they claim none that may be ignored. */
  versionBy(claimed: unknown): Version
  /** Decodes a stored value of the version that it claims, and converts it for the registry. */
  read(value: Json, claimed: unknown): Steps<KubeObject>
}

function readingOf(definition: ResourceDefinition, version: Version): Reading {
  const { kind, schema } = version
  const apiVersion = apiVersionOfVersion(version)
  const form = registryFormOf(schema)
  const { fromStore } = conversionOf(definition).codec
  const versionBy = (claimed: unknown): Version => {
    const known = typeof claimed === 'string' ? versionsOf(definition).get(claimed) : undefined
    if (known === undefined) form.checkVersion(claimed)
    return known ?? version
  }
  return {
    versionBy,
    *read(value, claimed) {
      const stored = versionBy(claimed)
      const object = decodedObject({ kind, apiVersion, ...(yield* stored.schema.form.readStored(stored.schema, value)) })
      // Another program may have written another kind or apiVersion.
      object.kind = stored.kind
      object.apiVersion = apiVersionOfVersion(stored)
      if (turnIsLong()) yield
      return fromStore(yield* applyDefaultsInSteps(stored, object), stored)
    },
  }
}

/**
 * CBOR of objects of a custom kind, with the self-described tag, as kube-apiserver stores them while the gate
 * CBORServingAndStorage is on.
 */
const cborForm = (
  schema: StructSchema,
  asStored: (object: KubeObject) => Steps<KubeObject>,
  isWritten: boolean,
): NonNullable<CodecOptions['cbor']> => ({
  *encode(object) {
    const stored = yield* asStored(object)
    const { kind, apiVersion } = stored
    const normal = { kind, apiVersion, ...(yield* decodeInSteps(schema, stored)) }
    if (turnIsLong()) yield
    return cborBody(yield* encodeCborInSteps(schema, normal))
  },
  isWritten,
})

/**
 * The name by which an encryption configuration selects a resource. Events are served by two groups and, as in
 * kube-apiserver, stored as those of the core group.
 */
export const storedAsOf = ({ hub, versions }: ResourceDefinition): GroupResource => ({
  group: (versions.find(({ group }) => group === '') ?? hub).group,
  resource: hub.names.plural,
})

/** Whether a kind has a protobuf encoding. Kinds without field numbers, such as custom kinds, have none. */
const hasMessage = ({ fields }: StructSchema): boolean => [...fields.values()].some(field => field.number > 0)

const NO_LABELS: Record<string, string> = {}

/**
 * Labels and fields that selectors match. Custom kinds have the selectable fields of their storage version, built-in
 * kinds those of the resource.
 */
function attributesOf({ storage }: ResourceDefinition, object: KubeObject): Attributes {
  const { name = '', namespace = '', uid = '', labels = NO_LABELS } = object.metadata
  const fields: Record<string, string> = { 'metadata.name': name, 'metadata.namespace': namespace }
  for (const [field, read] of Object.entries(storage?.fields ?? storage?.version.selectableFields ?? {})) fields[field] = read(object)
  return { namespace, name, uid, labels, fields }
}
