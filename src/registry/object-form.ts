import { ApplyError } from '../apply/apply-error.ts'
import type { Change } from '../apply/ownership.ts'
import { errorsText, validateTyped } from '../apply/typed-validate.ts'
import { apiVersionOfVersion, type ServedResource } from '../catalog/catalog.ts'
import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import { clone } from '../meta/equal.ts'
import { type FieldError, invalid } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { parseApiVersion } from '../meta/gvk.ts'
import { decodedObject, isJsonObject, type Json, type JsonObject, type KubeObject } from '../meta/object.ts'
import { internalServerError, invalidError } from '../meta/status.ts'
import { DecodeError, decode } from '../schema/decode.ts'
import type { FreeForm, StructSchema } from '../schema/schema.ts'
import type { MemberOrder } from '../storage/json-splice.ts'
import { StorageError } from '../storage/storage.ts'
import { convertInSteps, normalized, versionsOf } from './convert.ts'
import { applyKindDefaults, type Decodable, decodeObject } from './decode-object.ts'

/** How objects of a schema are held: as Go holds a struct, or as it holds free-form JSON (custom kinds). */
export interface ObjectForm {
  /** Tells what is read by another schema from what is read by this one, where the definition alone does not. */
  readonly id: string
  readonly order: MemberOrder
  /** How long the type header of the object's JSON is. */
  headerBytes(kind: string, apiVersion: string): number
  /** Reads what is stored. Throws a DecodeError. */
  readStored(value: Json): JsonObject
  /** What was stored says that it is of a version that the definition does not have: throws where it can't be read as another. */
  checkVersion(claimed: unknown): void
  /** What tracking managed fields needs to see an object in another version. Undefined: nothing. */
  managers(served: ServedResource): Change['convert']
  /** An object, which stays as it is, as webhooks are shown it. */
  toWebhook(object: KubeObject): KubeObject
  /** The other way round, with defaults: what a webhook has made of `before`. Throws 500 and 422. */
  fromWebhook(target: Decodable, body: JsonObject, before: KubeObject): KubeObject
}

const typed = (schema: StructSchema): ObjectForm => ({
  id: '',
  order: 'struct',
  headerBytes: (kind, apiVersion) => Buffer.byteLength(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`),
  readStored: value => decode(schema, value),
  checkVersion() {},
  managers: typedManagers,
  toWebhook: object => normalized({ schema }, object),
  fromWebhook(target, body, before) {
    if (body.kind !== before.kind || body.apiVersion !== before.apiVersion)
      throw internalServerError(`the object is of another kind: ${body.apiVersion} ${body.kind}`)
    try {
      return decodeObject(target, body)
    } catch (error) {
      throw error instanceof DecodeError ? internalServerError(error.message) : error
    }
  },
})

const untyped = (freeForm: FreeForm): ObjectForm => {
  /** What is malformed is left out, and nothing is added. */
  const metadataOf = (metadata: JsonObject): JsonObject => {
    const stored = freeForm.readStored({ metadata }).metadata
    const { generation, ...read } = isJsonObject(stored) ? stored : {}
    return metadata.generation === undefined || generation === undefined ? read : { ...read, generation }
  }
  return {
    id: freeForm.id,
    order: 'sorted',
    headerBytes: () => 1,
    readStored: value => freeForm.readStored(value),
    checkVersion(claimed) {
      if (claimed !== undefined) throw new StorageError('corrupt', `request to convert CR from an invalid group/version: ${String(claimed)}`)
    },
    managers: untypedManagers,
    toWebhook: object => ({ ...object, metadata: metadataOf(object.metadata) }),
    fromWebhook(target, body, before) {
      const faults = typeFaults(body, before)
      const group = parseApiVersion(before.apiVersion)?.group ?? ''
      if (faults.length > 0) throw invalidError({ group, kind: String(body.kind) }, before.metadata.name ?? '', faults)
      const metadata = metadataOf(isJsonObject(body.metadata) ? body.metadata : {})
      return applyKindDefaults(target, decodedObject({ ...clone(body), metadata }))
    },
  }
}

const typeFaults = (body: JsonObject, before: KubeObject): FieldError[] =>
  (['apiVersion', 'kind'] as const).flatMap(member =>
    body[member] === before[member] ? [] : [invalid(fieldPath(member), body[member] ?? '', `must be ${before[member]}`)],
  )

const forms = new WeakMap<StructSchema, ObjectForm>()

/** The form of a schema, made when first asked for. */
export function objectFormOf(schema: StructSchema): ObjectForm {
  let form = forms.get(schema)
  if (form === undefined) {
    form = schema.freeForm ? untyped(schema.freeForm) : typed(schema)
    forms.set(schema, form)
  }
  return form
}

type ManagerConversion = NonNullable<Change['convert']>

const conversions = new WeakMap<ServedResource, ManagerConversion>()

const servedVersion = ({ definition }: ServedResource, apiVersion: string): Version | undefined =>
  definition.versions.find(each => apiVersionOfVersion(each) === apiVersion)

/** Of a kind that is converted by its fields: an object in another version that is served. Undefined where there is one version only. */
const typedManagers = (served: ServedResource): Change['convert'] => (served.definition.versions.length === 1 ? undefined : known(served, typedConversion))

/** Of a custom kind that no webhook converts. An apply fails on managers of a version that the definition does not have, however many it has. */
const untypedManagers = (served: ServedResource): Change['convert'] => known(served, untypedConversion)

/** Made once for each resource that is served. */
function known(served: ServedResource, make: (served: ServedResource) => ManagerConversion): ManagerConversion {
  let conversion = conversions.get(served)
  if (conversion === undefined) {
    conversion = make(served)
    conversions.set(served, conversion)
  }
  return conversion
}

/** By the fields of both versions, through the hub version. In steps, as objects may be large. */
function typedConversion(served: ServedResource): ManagerConversion {
  const { definition, version } = served
  return function* (object, apiVersion) {
    const to = servedVersion(served, apiVersion)
    if (to === undefined) return undefined
    const from = versionsOf(definition).get(object.apiVersion) ?? version
    // A copy with every member in its place: what is left of an object whose fields were taken out may lack some.
    const copy = normalized(from, object)
    yield
    const converted = yield* convertInSteps(definition, copy, from, to)
    yield
    return { schema: to.schema, object: normalized(to, converted) }
  }
}

/** As it is but for its apiVersion. What the other version does not declare stands in the way, as upstream. */
function untypedConversion({ definition }: ServedResource): ManagerConversion {
  return function* (object, apiVersion) {
    const { schema } = customVersion(definition, apiVersion)
    const converted = { ...object, apiVersion }
    const errors = yield* validateTyped(schema, converted)
    if (errors.length > 0) throw new ApplyError('internal', errorsText(errors))
    return { schema, object: converted }
  }
}

/** Throws an ApplyError where the definition does not have the version. */
export function customVersion(definition: ResourceDefinition, apiVersion: string): Version {
  const version = versionsOf(definition).get(apiVersion)
  if (version === undefined) throw new ApplyError('internal', `request to convert CR to an invalid group/version: ${apiVersion}`)
  return version
}
