import type { ResourceDefinition } from '../catalog/definition.ts'
import { goJson } from '../codec/json.ts'
import type { Steps } from '../lib/steps.ts'
import { clone } from '../meta/equal.ts'
import { type FieldError, invalid } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { parseApiVersion } from '../meta/gvk.ts'
import { decodedObject, isJsonObject, type JsonObject, type KubeObject } from '../meta/object.ts'
import { internalServerError, invalidError } from '../meta/status.ts'
import { normalized, versionsOf } from '../registry/convert.ts'
import { applyKindDefaults, type Decodable, decodeInSteps, decodeObject } from '../registry/decode-object.ts'
import { DecodeError } from '../schema/decode.ts'
import type { FormName, StructSchema } from '../schema/schema.ts'

/** What webhooks or policies have made of an object. */
export interface MutatedBody {
  /** How the object is read. */
  readonly target: Decodable
  readonly body: JsonObject
  readonly before: KubeObject
}

/** What admission does in another way for each form of objects. */
export interface AdmissionForm {
  /** An object, which stays as it is, as webhooks are shown it. */
  toWebhook(schema: StructSchema, object: KubeObject): KubeObject
  /** The other way round, with defaults. Throws 500 and 422. */
  fromWebhook(mutated: MutatedBody): KubeObject
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
    fromWebhook({ target, body, before }) {
      checkTyped(body, before)
      try {
        return decodeObject(target, body)
      } catch (error) {
        throw error instanceof DecodeError ? internalServerError(error.message) : error
      }
    },
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
    fromWebhook: unstructuredFromWebhook,
    fromPolicy(mutated, definition) {
      checkUnstructured(definition, mutated.body)
      return unstructuredFromWebhook(mutated)
    },
    versionFault: () => undefined,
    parameters: object => object,
  },
}

export const admissionFormOf = ({ form }: StructSchema): AdmissionForm => FORMS[form.name]

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
