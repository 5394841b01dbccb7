import { subresourceOf } from '../../catalog/catalog.ts'
import type { Subresource, Version } from '../../catalog/definition.ts'
import { resultOf, type Steps } from '../../lib/steps.ts'
import { clone } from '../../meta/equal.ts'
import type { Json, JsonObject, KubeObject } from '../../meta/object.ts'
import { invalidError } from '../../meta/status.ts'
import { conversionOf } from '../../registry/conversion-of.ts'
import { convert, convertInSteps, copyIn } from '../../registry/convert.ts'
import type { Decodable } from '../../registry/decode-object.ts'
import type { BuiltIns } from '../../registry/other-type.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { StructSchema } from '../../schema/schema.ts'
import { admissionFormOf } from '../admission-form.ts'
import type { About } from '../attributes.ts'

/**
 * A request as webhooks see it: where it writes the view of an object (scale) the views stand in it, which have one version only. `back` puts a view into the object that it is of, and
 * gives any other object as it is.
 */
export interface SeenBodies {
  readonly request: AdmissionRequest
  back(seen: KubeObject): KubeObject
}

/**
 * The objects as webhooks and policies see them: those of a subresource of another kind as that kind, with the way back. Mutating admission sees the view that a write begins with, validating
 * admission the view in the response. Both exist even if the parent lacks the fields that the view shows.
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

/** What an object is read and written by, where it is not a version of the resource: options of what connects have no fields that anything need know. */
function schemaOf(request: AdmissionRequest, version: Version): Decodable {
  const own = ownOf(request)
  if (request.operation === 'CONNECT' && own?.connect) return { schema: own.connect.options }
  return own?.kind ?? version
}

/** How webhooks read the objects of a request. */
export const schemaOfBody = (request: AdmissionRequest, { version }: About): StructSchema => schemaOf(request, version).schema

const isOfResource = (request: AdmissionRequest): boolean => request.operation !== 'CONNECT' && ownOf(request)?.kind === undefined

/** The object, which stays as it is, as the version writes it. */
export function bodyOf(request: AdmissionRequest, { version }: About, object: KubeObject): KubeObject {
  const seen = isOfResource(request) ? copyIn(request.served.definition, object, version) : object
  const { schema } = schemaOf(request, version)
  return admissionFormOf(schema).toWebhook(schema, seen)
}

/** The other way round, with defaults: what a webhook has made of an object. Throws 500 where it is none of its kind any more. */
export function objectOf(request: AdmissionRequest, { version }: About, body: Json, before: KubeObject, builtIns: BuiltIns): KubeObject {
  const target = schemaOf(request, version)
  const object = admissionFormOf(target.schema).fromWebhook({ target, body, before, builtIns, definition: request.served.definition })
  return isOfResource(request) ? convert(request.served.definition, object, version, hookVersionOf(request, version)) : object
}

/**
 * The same in steps, for what a policy has made of an object. Throws 500 where it is none of its kind any more, and for a kind of this server a DecodeError where a value does not fit.
 * @param onUnknown takes paths of members that a kind of this server does not have.
 */
export function* objectInSteps(
  request: AdmissionRequest,
  about: About,
  body: JsonObject,
  before: KubeObject,
  onUnknown: (path: string) => void,
): Steps<KubeObject> {
  const { version } = about
  const target = schemaOf(request, version)
  const { definition } = request.served
  const object = yield* resultOf(admissionFormOf(target.schema).fromPolicy({ target, body, before }, definition, onUnknown))
  yield
  return isOfResource(request) ? yield* convertInSteps(definition, object, version, hookVersionOf(request, version)) : object
}

/** In which hooks see an object that was read in a version. What is not stored is in the version of the request. */
const hookVersionOf = ({ served: { definition, version } }: AdmissionRequest, own: Version): Version =>
  definition.storage ? conversionOf(definition).hookVersion(own) : version
