import type { ResourceDefinition } from '../catalog/definition.ts'
import { goJson, partlySortedJson } from '../codec/json.ts'
import type { Steps } from '../lib/steps.ts'
import { clone } from '../meta/equal.ts'
import { type FieldError, invalid } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { apiVersionOf, parseApiVersion } from '../meta/gvk.ts'
import { decodedObject, isJsonObject, type Json, type JsonObject, type KubeObject } from '../meta/object.ts'
import { failure, internalServerError, invalidError } from '../meta/status.ts'
import { normalized, versionsOf } from '../registry/convert.ts'
import { applyKindDefaults, type Decodable, decodeInSteps, decodeObject } from '../registry/decode-object.ts'
import { type BuiltIns, otherTypeFault, patchedClaim, readAsClaimed, type TypeClaim } from '../registry/other-type.ts'
import { DecodeError } from '../schema/decode.ts'
import type { FormName, StructSchema } from '../schema/schema.ts'

/** What webhooks or policies have made of an object. */
export interface MutatedBody {
  /** How the object is read. */
  readonly target: Decodable
  readonly body: JsonObject
  readonly before: KubeObject
}

/** What a webhook's patch has made of an object. */
export interface PatchedBody extends Omit<MutatedBody, 'body'> {
  readonly body: Json
  /** Types that the body may claim to be of. */
  readonly builtIns: BuiltIns
  /** Of the resource that the object is of. */
  readonly definition: ResourceDefinition
}

/** What admission does in another way for each form of objects. */
export interface AdmissionForm {
  /** An object, which stays as it is, as webhooks are shown it. */
  toWebhook(schema: StructSchema, object: KubeObject): KubeObject
  /** The other way round, with defaults. Throws 500 and 422. */
  fromWebhook(patched: PatchedBody): KubeObject
  /** The same for a policy. Typed objects: throws a DecodeError where a value does not fit, and `onUnknown` takes the paths of members that no field names. */
  fromPolicy(mutated: MutatedBody, definition: ResourceDefinition, onUnknown: (path: string) => void): KubeObject | Steps<KubeObject>
  /** Why a policy cannot change an object in a version other than that of the request; undefined: it can. */
  versionFault(from: string, to: string): string | undefined
  /** Parameters of a mutating policy, as its expressions see them. Validating policies are shown them whole. */
  parameters(object: KubeObject): JsonObject
}

const FORMS: Readonly<Record<FormName, AdmissionForm>> = {
  typed: {
    toWebhook: (schema, object) => normalized({ schema }, object),
    fromWebhook: typedFromWebhook,
    fromPolicy({ target, body, before }, _definition, onUnknown) {
      const { kind = before.kind, apiVersion = before.apiVersion } = body
      const whole = { ...body, kind, apiVersion }
      checkTyped(whole, before)
      return decodeInSteps(target, whole, onUnknown)
    },
    /** kube-apiserver cannot convert what a mutation in another version has made. */
    versionFault: (from, to) => `converting (${from}) to (${to}): unknown conversion`,
    /** Without kind and apiVersion, as kube-apiserver's informers keep them. */
    parameters({ kind: _, apiVersion: __, ...params }) {
      return params
    },
  },
  unstructured: {
    toWebhook: (schema, object) => ({ ...object, metadata: readableMeta(schema, object.metadata) }),
    fromWebhook: patched => unstructuredFromWebhook({ ...patched, body: checkPatchedType(patched) }),
    fromPolicy(mutated, definition) {
      checkUnstructured(definition, mutated.body)
      return unstructuredFromWebhook(mutated)
    },
    versionFault: () => undefined,
    parameters: object => object,
  },
}

export const admissionFormOf = ({ form }: StructSchema): AdmissionForm => FORMS[form.name]

/** An object that claims to be of another type is read as one of that type before it is refused. */
function typedFromWebhook({ target, body, before, builtIns }: PatchedBody): KubeObject {
  const { group } = parseApiVersion(before.apiVersion) ?? { group: '' }
  try {
    const claimed = claimOf(body, before)
    if (claimed.kind === before.kind && claimed.apiVersion === before.apiVersion) return decodeObject(target, { ...(isJsonObject(body) && body), ...claimed })
    readAsClaimed(builtIns, claimed.apiVersion, claimed.kind, body)
    const fault = otherTypeFault(builtIns, { group, kind: before.kind }, claimed.apiVersion, claimed.kind)
    throw fault.isKnown ? failure(500, '', fault.text) : new DecodeError(fault.text)
  } catch (error) {
    throw error instanceof DecodeError ? internalServerError(error.message) : error
  }
}

/** The type that a patched body claims, with that of the object for what it leaves out. Throws a DecodeError. */
function claimOf(body: Json, before: KubeObject): TypeClaim {
  const { kind, apiVersion } = patchedClaim(body)
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' }
  const own = parseApiVersion(before.apiVersion)
  if (version === '' && group !== '' && group !== own?.group) throw new DecodeError(`Object 'apiVersion' is missing in '${rootSortedJson(body)}'`)
  return { kind: kind || before.kind, apiVersion: version === '' ? before.apiVersion : apiVersionOf({ group, version }) }
}

/** A patched document, of which the library has taken the outermost object apart, and so sorted it. */
const rootSortedJson = (body: Json): string => partlySortedJson(body, new WeakSet(isJsonObject(body) ? [body] : []))

/** Throws 500 for an object of another kind. */
function checkTyped({ kind, apiVersion }: JsonObject, before: KubeObject): void {
  if (kind !== before.kind || apiVersion !== before.apiVersion) throw internalServerError(`the object is of another kind: ${apiVersion} ${kind}`)
}

/** Throws 500 for what can be no version of a custom kind. */
function checkUnstructured(definition: ResourceDefinition, { kind, apiVersion, ...rest }: JsonObject): void {
  if (!kind) throw internalServerError(`Object 'Kind' is missing in '${goJson({ ...(apiVersion !== undefined && { apiVersion }), ...rest })}'`)
  if (typeof apiVersion !== 'string' || !versionsOf(definition).has(apiVersion))
    throw internalServerError(`failed to convert object: request to convert CR from an invalid group/version: ${String(apiVersion ?? '')}`)
}

/** The body with the apiVersion of the object, which may be replaced by that of another version. Throws 500 for one that nothing converts from. */
function checkPatchedType({ body, before, definition }: PatchedBody): JsonObject {
  const { kind, apiVersion } = readClaim(body)
  const object = isJsonObject(body) ? body : {}
  if (kind === '') throw internalServerError(`Object 'Kind' is missing in '${goJson(object)}'`)
  if (apiVersion === before.apiVersion) return object
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' }
  if (group !== parseApiVersion(before.apiVersion)?.group)
    throw failure(500, '', `${group}/${version}, Kind=${kind} is unstructured and is not suitable for converting to ${JSON.stringify(before.apiVersion)}`)
  if (!versionsOf(definition).has(apiVersion)) throw failure(500, '', `request to convert CR from an invalid group/version: ${apiVersion}`)
  return definition.converter ? object : { ...object, apiVersion: before.apiVersion }
}

function readClaim(body: Json): TypeClaim {
  try {
    return patchedClaim(body)
  } catch (error) {
    throw error instanceof DecodeError ? internalServerError(error.message) : error
  }
}

function unstructuredFromWebhook({ target, body, before }: MutatedBody): KubeObject {
  const faults = typeFaults(body, before)
  const group = parseApiVersion(before.apiVersion)?.group ?? ''
  if (faults.length > 0) throw invalidError({ group, kind: String(body.kind) }, before.metadata.name ?? '', faults)
  const metadata = readableMeta(target.schema, isJsonObject(body.metadata) ? body.metadata : {})
  return applyKindDefaults(target, decodedObject({ ...clone(body), metadata }))
}

const typeFaults = (body: JsonObject, before: KubeObject): FieldError[] =>
  (['apiVersion', 'kind'] as const).flatMap(member =>
    body[member] === before[member] ? [] : [invalid(fieldPath(member), body[member] ?? '', `must be ${before[member]}`)],
  )

/** Metadata without what is malformed. Nothing is added. */
function readableMeta(schema: StructSchema, metadata: JsonObject): JsonObject {
  const stored = schema.form.readStored(schema, { metadata }).metadata
  const { generation, ...read } = isJsonObject(stored) ? stored : {}
  return metadata.generation === undefined || generation === undefined ? read : { ...read, generation }
}
