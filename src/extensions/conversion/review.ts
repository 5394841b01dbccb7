import type { ConversionReview } from '../../api/apiextensions/v1.types.ts'
import type { Json, KubeObject } from '../../api/meta/object.ts'
import { types } from '../../catalog/types.ts'
import { typeOfBody } from '../../codec/body.ts'
import { readForeignJson } from '../../codec/foreign-json.ts'
import { beginsAsObject, readForeignYaml } from '../../codec/foreign-review.ts'
import { goJson } from '../../codec/json.ts'
import { MOST_VALUES } from '../../codec/value-bound.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { parseApiVersion } from '../../meta/gvk.ts'
import { decodeAs } from '../../schema/decode-as.ts'

const GROUP = 'apiextensions.k8s.io'
const REVIEW = types.type('apiextensions.ConversionReview')

/** Supported versions of ConversionReview. */
export type ReviewVersion = 'v1' | 'v1beta1'

/** Returns the first supported version that the webhook accepts. Undefined if there is none. */
export const reviewVersionOf = (understood: readonly string[]): ReviewVersion | undefined =>
  understood.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1')

/**
 * Encodes a ConversionReview that requests objects in a version. As upstream, includes an empty response.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-request-and-response
 */
export function reviewBody(version: ReviewVersion, uid: string, desiredAPIVersion: string, objects: readonly KubeObject[]): string {
  const request = `{"uid":"${uid}","desiredAPIVersion":${JSON.stringify(desiredAPIVersion)},"objects":[${objects.map(object => goJson(object)).join(',')}]}`
  const response = '{"uid":"","convertedObjects":null,"result":{"metadata":{}}}'
  return `{"kind":"ConversionReview","apiVersion":"${GROUP}/${version}","request":${request},"response":${response}}\n`
}

/** Review with the type of the body. Kind and apiVersion are empty if absent. */
type Review = ConversionReview & { readonly kind: string; readonly apiVersion: string }

/** Number of objects up to which a response may contain as many values as a request body for each. */
const MOST_LARGE_OBJECTS = 64

/**
 * Parses a response, in steps. Throws an Error with client-go's message if it is not a ConversionReview. @param objects
 * number of objects in the request.
 */
export async function readReview(version: ReviewVersion, body: Buffer, objects = 1): Promise<Review> {
  const value = await parseReview(body, objects)
  const { apiVersion, kind } = typeOfBody(value)
  if (apiVersion !== '' && kind !== '') checkReviewType(version, apiVersion, kind)
  return { ...decodeAs<ConversionReview>(REVIEW, value), kind, apiVersion }
}

/** Parses as JSON if the text starts like a JSON object, otherwise as YAML. */
async function parseReview(body: Buffer, objects: number): Promise<Json> {
  if (!beginsAsObject(body)) return readForeignYaml(body)
  try {
    return await readForeignJson(body, undefined, MOST_VALUES * Math.min(objects, MOST_LARGE_OBJECTS))
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${errorMessage(error)}`)
  }
}

/** Throws an Error with client-go's message unless the response is a ConversionReview of the requested version. */
function checkReviewType(version: ReviewVersion, apiVersion: string, kind: string): void {
  if (!parseApiVersion(apiVersion)) throw new Error(`unexpected GroupVersion string: ${apiVersion}`)
  if (apiVersion === `${GROUP}/${version}` && kind === 'ConversionReview') return
  const isOther = kind === 'ConversionReview' && (apiVersion === `${GROUP}/v1` || apiVersion === `${GROUP}/v1beta1`)
  if (!isOther && !(kind === 'Status' && apiVersion === 'v1'))
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`,
    )
  throw new Error(`converting (${apiVersion.split('/').at(-1)}.${kind}) to (${version}.ConversionReview): unknown conversion`)
}

/**
 * Returns the objects of a successful response. Throws an Error if the response is invalid or reports a failure. As
 * upstream, type and UID are only checked for v1.
 */
export function convertedObjects(version: ReviewVersion, uid: string, { kind, apiVersion, response }: Review): readonly Json[] {
  if (version === 'v1' && (apiVersion !== `${GROUP}/v1` || kind !== 'ConversionReview'))
    throw new Error(`expected webhook response of ${GROUP}/v1, Kind=ConversionReview, got ${printKind(apiVersion, kind)}`)
  if (!response) throw new Error('no response provided')
  if (version === 'v1' && response.uid !== uid)
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid)}`)
  const { status = '', message = '' } = response.result
  if (status !== 'Success') throw new Error(message || `response.result.status was '${status}', not 'Success'`)
  return response.convertedObjects ?? []
}

/** Type as upstream's errors print it: `example.com/v1, Kind=Widget`. */
export function printKind(apiVersion: string, kind: string): string {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' }
  return `${group}/${version}, Kind=${kind}`
}
