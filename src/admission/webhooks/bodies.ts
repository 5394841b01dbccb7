import { subresourceOf } from '../../catalog/catalog.ts'
import type { Subresource, Version } from '../../catalog/definition.ts'
import { clone } from '../../meta/equal.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { invalid } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import type { JsonObject, KubeObject } from '../../meta/object.ts'
import { internalServerError, invalidError } from '../../meta/status.ts'
import { conversionOf } from '../../registry/conversion-of.ts'
import { convert, copyIn, normalized } from '../../registry/convert.ts'
import { applyKindDefaults, type Decodable, decodeObject } from '../../registry/decode-object.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import { DecodeError } from '../../schema/decode.ts'
import type { FreeForm, StructSchema } from '../../schema/schema.ts'
import type { About } from '../attributes.ts'

/**
 * A request as webhooks see it: where it writes the view of an object (scale) the views stand in it, which have one version only. `back` puts a view into the object that it is of, and
 * gives any other object as it is.
 */
export interface SeenBodies {
  readonly request: AdmissionRequest
  back(seen: KubeObject): KubeObject
}

export function seenBodies(request: AdmissionRequest): SeenBodies {
  const { served, subresource, object, old } = request
  const view = ownOf(request)?.view
  if (!view) return { request, back: seen => seen }
  const { definition, version } = served
  const inVersion = (parent: KubeObject): KubeObject => copyIn(definition, parent, version)
  const seen = { ...request, ...(object && { object: view.get(inVersion(object)) }), ...(old && { old: view.get(inVersion(old)) }) }
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

/** The object, which stays as it is, as the version writes it: every member in its place, nothing empty that is left out. Of a custom kind all is told that the object has. */
export function bodyOf(request: AdmissionRequest, { version }: About, object: KubeObject): KubeObject {
  const schema = schemaOf(request, version)
  if (!isOfResource(request)) return normalized(schema, object)
  const copy = copyIn(request.served.definition, object, version)
  const { freeForm } = schema.schema
  if (!freeForm) return normalized(schema, copy)
  return { ...copy, metadata: metadataOf(freeForm, copy.metadata as JsonObject) } as unknown as KubeObject
}

/** The other way round, with defaults: what a webhook has made of an object. Throws 500 where it is none of its kind any more. */
export function objectOf(request: AdmissionRequest, { version }: About, body: JsonObject, before: KubeObject): KubeObject {
  const schema = schemaOf(request, version)
  const { freeForm } = schema.schema
  const { definition } = request.served
  try {
    if (freeForm && isOfResource(request)) {
      const faults = typeFaults(body, before)
      if (faults.length > 0) throw invalidError({ group: version.group, kind: String(body.kind) }, before.metadata.name ?? '', faults)
      const metadata = metadataOf(freeForm, (body.metadata ?? {}) as JsonObject)
      const object = applyKindDefaults(schema, { ...clone(body), metadata } as unknown as KubeObject)
      return convert(definition, object, version, hookVersionOf(request, version))
    }
    if (body.kind !== before.kind || body.apiVersion !== before.apiVersion)
      throw new DecodeError(`the object is of another kind: ${body.apiVersion} ${body.kind}`)
    const object = decodeObject(schema, body)
    return isOfResource(request) ? convert(definition, object, version, hookVersionOf(request, version)) : object
  } catch (error) {
    throw error instanceof DecodeError ? internalServerError(error.message) : error
  }
}

/** Of a custom kind: what is malformed is left out, and nothing is added. */
function metadataOf(freeForm: FreeForm, metadata: JsonObject): JsonObject {
  const { generation, ...read } = freeForm.readStored({ metadata }).metadata as JsonObject
  return metadata.generation === undefined || generation === undefined ? read : { ...read, generation }
}

const typeFaults = (body: JsonObject, before: KubeObject): FieldError[] =>
  (['apiVersion', 'kind'] as const).flatMap(member =>
    body[member] === before[member] ? [] : [invalid(fieldPath(member), body[member] ?? '', `must be ${before[member]}`)],
  )

/** In which hooks see an object that was read in a version. What is not stored is in the version of the request. */
const hookVersionOf = ({ served: { definition, version } }: AdmissionRequest, own: Version): Version =>
  definition.storage ? conversionOf(definition).hookVersion(own) : version
