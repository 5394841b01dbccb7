import type { KubeObject } from '../api/meta/object.ts'
import { subresourceOf } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import { failure, internalServerError } from '../meta/status.ts'
import { conversionOf } from '../registry/conversion/conversion-of.ts'
import { ConversionError } from '../registry/errors.ts'
import type { AdmissionRequest } from '../registry/types.ts'
import type { VersionedResource } from './attributes.ts'

/**
 * Returns the request with its objects in the matched version if a webhook converts the kind. Otherwise returns the
 * request itself: its objects are converted when they are written. Throws 500 if the conversion fails.
 */
export async function inMatchedVersion(request: AdmissionRequest, { version }: VersionedResource): Promise<AdmissionRequest> {
  const { object, old, served, subresource } = request
  if (version === served.version) return request
  // Kinds of subresources such as Scale exist in one version only.
  if (subresource !== '' && subresourceOf(served.version, subresource)?.kind) return request
  const both = [object, old].filter(each => each !== undefined)
  const converted = await seenIn(request, version, both).catch(asInternalError)
  if (converted === undefined) return request
  const seen = [...converted]
  const seenObject = object && seen.shift()
  const seenOld = old && seen.shift()
  return { ...request, ...(seenObject && { object: seenObject }), ...(seenOld && { old: seenOld }) }
}

function asInternalError(error: unknown): never {
  throw error instanceof ConversionError ? internalServerError(error.message) : error
}

/**
 * Converts an object from the matched version back to the version of the request. Throws 500 with the message of the
 * conversion alone.
 */
export async function inRequestVersion(request: AdmissionRequest, object: KubeObject): Promise<KubeObject> {
  const converted = await seenIn(request, request.served.version, [object]).catch(error => {
    throw error instanceof ConversionError ? failure(500, '', error.message) : error
  })
  return converted?.[0] ?? object
}

/** Converts objects to the version that a rule matched. Returns undefined if the kind needs no conversion webhook. */
const seenIn = (
  { served }: AdmissionRequest,
  version: Version,
  objects: readonly KubeObject[],
): Promise<readonly KubeObject[] | undefined> => conversionOf(served.definition).seenIn(version, objects) ?? Promise.resolve(undefined)
