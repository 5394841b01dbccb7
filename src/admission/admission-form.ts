import { decodedObject, isJsonObject, type Json, type JsonObject, type KubeObject } from '../api/meta/object.ts'
import { apiVersionOfVersion } from '../catalog/catalog.ts'
import type { ResourceDefinition } from '../catalog/definition.ts'
import { goJson, partlySortedJson } from '../codec/json.ts'
import type { Steps } from '../lib/steps.ts'
import { type FieldError, invalid } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { apiVersionOf, parseApiVersion } from '../meta/gvk.ts'
import { failure, internalServerError, invalidError } from '../meta/status.ts'
import { cloneInSteps } from '../meta/whole-floats.ts'
import { normalizedInSteps, versionsOf } from '../registry/conversion/convert.ts'
import { applyDefaultsInSteps, type Decodable, decodeInSteps } from '../registry/decode-object.ts'
import { type BuiltIns, otherTypeFault, patchedClaim, readAsClaimed, type TypeClaim } from '../registry/other-type.ts'
import { DecodeError } from '../schema/decode.ts'
import type { FormName, StructSchema } from '../schema/schema.ts'

/** An object as a webhook or mutating policy returned it, before it is decoded. */
export interface MutatedBody {
  /** Target of the decoder: the schema of the object's version. */
  readonly target: Decodable
  readonly body: JsonObject
  /** The object before the mutation. Supplies `kind` and `apiVersion` if the body lacks them. */
  readonly before: KubeObject
}

/** An object after the JSON patch of a webhook. */
export interface PatchedBody extends Omit<MutatedBody, 'body'> {
  readonly body: Json
  /** Built-in kinds, to decode a body that claims another kind. */
  readonly builtIns: BuiltIns
  /** Definition of the object's resource. */
  readonly definition: ResourceDefinition
}

/** Steps of admission that differ between typed (built-in) and unstructured (custom) objects. */
export interface AdmissionForm {
  /** Returns the object as it is sent to a webhook. The argument is not changed. */
  toWebhook(schema: StructSchema, object: KubeObject): Steps<KubeObject>
  /**
   * Decodes and defaults a patched object, in the version that it claims if a webhook converts the kind. Throws 500 or
   * 422 if the patch made it invalid.
   */
  fromWebhook(patched: PatchedBody): Steps<KubeObject>
  /**
   * Decodes an object that a policy returned. For typed objects, throws a DecodeError if a value has the wrong type,
   * and calls `onUnknown` with the path of each unknown field.
   */
  fromPolicy(mutated: MutatedBody, definition: ResourceDefinition, onUnknown: (path: string) => void): Steps<KubeObject>
  /** Returns an error if a policy cannot mutate objects in a version other than the request's. Undefined if it can. */
  versionFault(from: string, to: string): string | undefined
  /** Parameters as the expressions of a mutating policy see them. Validating policies see the whole object. */
  parameters(object: KubeObject): JsonObject
}

const FORMS: Readonly<Record<FormName, AdmissionForm>> = {
  typed: {
    toWebhook: (schema, object) => normalizedInSteps({ schema }, object),
    fromWebhook: typedFromWebhook,
    fromPolicy({ target, body, before }, _definition, onUnknown) {
      const { kind = before.kind, apiVersion = before.apiVersion } = body
      const whole = { ...body, kind, apiVersion }
      checkTyped(whole, before)
      return decodeInSteps(target, whole, onUnknown)
    },
    /** kube-apiserver cannot convert the result of a mutation back to the version of the request. */
    versionFault: (from, to) => `converting (${from}) to (${to}): unknown conversion`,
    /** Kind and apiVersion are removed, as in the informer caches of kube-apiserver. */
    parameters({ kind: _, apiVersion: __, ...params }) {
      return params
    },
  },
  unstructured: {
    *toWebhook(schema, object) {
      return { ...object, metadata: yield* readableMeta(schema, object.metadata) }
    },
    *fromWebhook(patched) {
      const body = checkPatchedType(patched)
      const version = patched.definition.converter && versionsOf(patched.definition).get(String(body.apiVersion))
      return yield* unstructuredFromBody(
        version ? { body, target: version, before: { ...patched.before, apiVersion: apiVersionOfVersion(version) } } : { ...patched, body },
      )
    },
    fromPolicy(mutated, definition) {
      checkUnstructured(definition, mutated.body)
      return unstructuredFromBody(mutated)
    },
    versionFault: () => undefined,
    parameters: object => object,
  },
}

/**
 * Returns how admission treats objects of a schema: built-in kinds are converted to and from Go structs upstream,
 * custom ones are not.
 */
export const admissionFormOf = ({ form }: StructSchema): AdmissionForm => FORMS[form.name]

/**
 * Decodes a typed object. A body that claims another type is decoded as that type first, so that its decoding errors
 * come before the error about its type, as upstream.
 */
function* typedFromWebhook({ target, body, before, builtIns }: PatchedBody): Steps<KubeObject> {
  const { group } = parseApiVersion(before.apiVersion) ?? { group: '' }
  try {
    const claimed = claimOf(body, before)
    if (claimed.kind === before.kind && claimed.apiVersion === before.apiVersion)
      return yield* decodeInSteps(target, { ...(isJsonObject(body) && body), ...claimed })
    readAsClaimed(builtIns, claimed.apiVersion, claimed.kind, body)
    const fault = otherTypeFault(builtIns, { group, kind: before.kind }, claimed.apiVersion, claimed.kind)
    throw fault.isKnown ? failure(500, '', fault.text) : new DecodeError(fault.text)
  } catch (error) {
    throw error instanceof DecodeError ? internalServerError(error.message) : error
  }
}

/**
 * Returns the type that a patched body claims. Missing parts are taken from the object before the patch. Throws a
 * DecodeError if the apiVersion is malformed.
 */
function claimOf(body: Json, before: KubeObject): TypeClaim {
  const { kind, apiVersion } = patchedClaim(body)
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' }
  const own = parseApiVersion(before.apiVersion)
  if (version === '' && group !== '' && group !== own?.group)
    throw new DecodeError(`Object 'apiVersion' is missing in '${rootSortedJson(body)}'`)
  return { kind: kind || before.kind, apiVersion: version === '' ? before.apiVersion : apiVersionOf({ group, version }) }
}

/**
 * JSON of a patched document. Its outermost members are sorted, because upstream's JSON patch library decodes that
 * level into a map.
 */
const rootSortedJson = (body: Json): string => partlySortedJson(body, new WeakSet(isJsonObject(body) ? [body] : []))

/** Throws 500 if the object is of another kind. */
function checkTyped({ kind, apiVersion }: JsonObject, before: KubeObject): void {
  if (kind !== before.kind || apiVersion !== before.apiVersion)
    throw internalServerError(`the object is of another kind: ${apiVersion} ${kind}`)
}

/** Throws 500 if the body is not in a version of the custom kind. */
function checkUnstructured(definition: ResourceDefinition, { kind, apiVersion, ...rest }: JsonObject): void {
  if (!kind)
    throw internalServerError(`Object 'Kind' is missing in '${goJson({ ...(apiVersion !== undefined && { apiVersion }), ...rest })}'`)
  if (typeof apiVersion !== 'string' || !versionsOf(definition).has(apiVersion))
    throw internalServerError(`failed to convert object: request to convert CR from an invalid group/version: ${String(apiVersion ?? '')}`)
}

/**
 * Returns the body. Its apiVersion may be another served version of the kind. Throws 500 if no conversion from it
 * exists.
 */
function checkPatchedType({ body, before, definition }: PatchedBody): JsonObject {
  const { kind, apiVersion } = readClaim(body)
  const object = isJsonObject(body) ? body : {}
  if (kind === '') throw internalServerError(`Object 'Kind' is missing in '${goJson(object)}'`)
  if (apiVersion === before.apiVersion) return object
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' }
  if (group !== parseApiVersion(before.apiVersion)?.group)
    throw failure(
      500,
      '',
      `${group}/${version}, Kind=${kind} is unstructured and is not suitable for converting to ${JSON.stringify(before.apiVersion)}`,
    )
  if (!versionsOf(definition).has(apiVersion)) throw failure(500, '', `request to convert CR from an invalid group/version: ${apiVersion}`)
  return definition.converter ? object : { ...object, apiVersion: before.apiVersion }
}

/** Parses the claimed type of a custom object. Throws 500 if it is malformed. */
function readClaim(body: Json): TypeClaim {
  try {
    return patchedClaim(body)
  } catch (error) {
    throw error instanceof DecodeError ? internalServerError(error.message) : error
  }
}

/**
 * Decodes a custom object that a webhook or policy returned, with the defaults of its schema. Throws 422 if kind, name
 * or namespace are invalid.
 */
function* unstructuredFromBody({ target, body, before }: MutatedBody): Steps<KubeObject> {
  const faults = typeFaults(body, before)
  const group = parseApiVersion(before.apiVersion)?.group ?? ''
  if (faults.length > 0) throw invalidError({ group, kind: String(body.kind) }, before.metadata.name ?? '', faults)
  const metadata = yield* readableMeta(target.schema, isJsonObject(body.metadata) ? body.metadata : {})
  return yield* applyDefaultsInSteps(target, decodedObject({ ...(yield* cloneInSteps(body)), metadata }))
}

const typeFaults = (body: JsonObject, before: KubeObject): FieldError[] =>
  (['apiVersion', 'kind'] as const).flatMap(member =>
    body[member] === before[member] ? [] : [invalid(fieldPath(member), body[member] ?? '', `must be ${before[member]}`)],
  )

/** Returns metadata without malformed members. Adds no defaults. */
function* readableMeta(schema: StructSchema, metadata: JsonObject): Steps<JsonObject> {
  const stored = (yield* schema.form.readStored(schema, { metadata })).metadata
  const { generation, ...read } = isJsonObject(stored) ? stored : {}
  return metadata.generation === undefined || generation === undefined ? read : { ...read, generation }
}
