import type { Json, JsonObject, KubeObject } from '../../api/meta/object.ts'
import { subresourceOf } from '../../catalog/catalog.ts'
import type { Subresource, Version } from '../../catalog/definition.ts'
import { type Steps, startInTurns } from '../../lib/steps.ts'
import { clone } from '../../meta/equal.ts'
import { invalidError } from '../../meta/status.ts'
import { conversionOf } from '../../registry/conversion/conversion-of.ts'
import { convert, convertInSteps, copyIn, copyInSteps } from '../../registry/conversion/convert.ts'
import type { Decodable } from '../../registry/decode-object.ts'
import type { BuiltIns } from '../../registry/other-type.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { StructSchema } from '../../schema/schema.ts'
import { admissionFormOf } from '../admission-form.ts'
import type { VersionedResource } from '../attributes.ts'

/**
 * A request as webhooks and policies see it. Objects of a subresource with its own kind (Scale) are replaced by that
 * kind, which exists in one version only. `back` writes such an object into its parent, and returns any other object
 * unchanged.
 */
export interface SeenBodies {
  readonly request: AdmissionRequest
  back(seen: KubeObject): KubeObject
}

/**
 * Returns a request as webhooks and policies see it, with the way back. Mutating admission sees the object that a write
 * starts from, validating admission the one in the response. Both exist even if the parent lacks the fields that the
 * subresource shows.
 */
export function seenBodies(request: AdmissionRequest, phase: 'mutating' | 'validating'): SeenBodies {
  const { served, subresource, object, old } = request
  const view = ownOf(request)?.view
  if (!view) return { request, back: seen => seen }
  const { definition, version } = served
  const inVersion = (parent: KubeObject): KubeObject => copyIn(definition, parent, version)
  const get = (phase === 'mutating' ? view.draft : view.answer) ?? view.get
  const seen = { ...request, ...(object && { object: get(inVersion(object)) }), ...(old && { old: get(inVersion(old)) }) }
  const back = (changed: KubeObject): KubeObject => {
    const parent = object && view.put(clone(inVersion(object)), changed)
    if (!parent) return changed
    if (!Array.isArray(parent)) return convert(definition, parent, version, conversionOf(definition).hookVersion(version))
    const { group, kind } = subresourceOf(version, subresource)?.kind ?? { group: version.group, kind: version.kind }
    throw invalidError({ group, kind }, request.name, parent)
  }
  return { request: seen, back }
}

const ownOf = ({ served, subresource }: AdmissionRequest): Subresource | undefined =>
  subresource === '' ? undefined : subresourceOf(served.version, subresource)

/** Schema of the objects of a request. The options of a CONNECT request have only the fields that are declared. */
function requestSchema(request: AdmissionRequest, version: Version): Decodable {
  const own = ownOf(request)
  if (request.operation === 'CONNECT' && own?.connect) return { schema: own.connect.options }
  return own?.kind ?? version
}

/** Schema that webhooks use for the objects of a request. */
export const schemaOfBody = (request: AdmissionRequest, { version }: VersionedResource): StructSchema =>
  requestSchema(request, version).schema

const isOfResource = (request: AdmissionRequest): boolean => request.operation !== 'CONNECT' && ownOf(request)?.kind === undefined

/** Returns the object as the version encodes it. The argument is not changed. */
export function* encodeObject(request: AdmissionRequest, { version }: VersionedResource, object: KubeObject): Steps<KubeObject> {
  const seen = isOfResource(request) ? yield* copyInSteps(request.served.definition, object, version) : object
  const { schema } = requestSchema(request, version)
  yield
  return yield* admissionFormOf(schema).toWebhook(schema, seen)
}

/** Objects of a request as a version encodes them. */
export async function encodedObjects(
  request: AdmissionRequest,
  about: VersionedResource,
): Promise<Readonly<Record<'object' | 'oldObject', KubeObject | undefined>>> {
  const encode = async (object: KubeObject | undefined): Promise<KubeObject | undefined> =>
    object && startInTurns(encodeObject(request, about, object), request.ctx.signal)
  return { object: await encode(request.object), oldObject: await encode(request.old) }
}

/** Decodes and defaults an object that a webhook returned. Throws 500 if it is of another kind. */
export function* decodeObjectFrom(
  request: AdmissionRequest,
  { version }: VersionedResource,
  body: Json,
  before: KubeObject,
  builtIns: BuiltIns,
): Steps<KubeObject> {
  const target = requestSchema(request, version)
  const { definition } = request.served
  const object = yield* admissionFormOf(target.schema).fromWebhook({ target, body, before, builtIns, definition })
  yield
  return isOfResource(request) ? yield* convertInSteps(definition, object, version, hookVersionOf(request, version)) : object
}

/**
 * Decodes an object that a policy returned. Throws 500 if it is of another kind, and for built-in kinds a DecodeError
 * if a value has the wrong type. Runs in steps.
 * @param onUnknown receives the paths of unknown fields of built-in kinds.
 */
export function* objectInSteps(
  request: AdmissionRequest,
  about: VersionedResource,
  body: JsonObject,
  before: KubeObject,
  onUnknown: (path: string) => void,
): Steps<KubeObject> {
  const { version } = about
  const target = requestSchema(request, version)
  const { definition } = request.served
  const object = yield* admissionFormOf(target.schema).fromPolicy({ target, body, before }, definition, onUnknown)
  yield
  return isOfResource(request) ? yield* convertInSteps(definition, object, version, hookVersionOf(request, version)) : object
}

/**
 * Version that hooks of the kind expect for an object decoded in another version. Objects that are not stored stay in
 * the version of the request.
 */
const hookVersionOf = ({ served: { definition, version } }: AdmissionRequest, own: Version): Version =>
  definition.storage ? conversionOf(definition).hookVersion(own) : version
