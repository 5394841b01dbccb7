import { createHash } from 'node:crypto'
import type { ImageReviewStatus } from '../../../../api/imagepolicy/v1alpha1.types.ts'
import { isJsonObject } from '../../../../api/meta/object.ts'
import { readForeignJson } from '../../../../codec/foreign-json.ts'
import { MOST_REVIEW_VALUES } from '../../../../codec/foreign-review.ts'
import { goJson } from '../../../../codec/json.ts'
import { DecodeError } from '../../../../schema/decode.ts'
import { decodeAs } from '../../../../schema/decode-as.ts'
import type { StructSchema } from '../../../../schema/schema.ts'

/** Input of a review (imagepolicy.k8s.io/v1alpha1 ImageReviewSpec). */
export interface ReviewedImages {
  readonly images: readonly string[]
  readonly annotations: Readonly<Record<string, string>>
  readonly namespace: string
}

/** Result of a review. */
export type ImageVerdict = Required<ImageReviewStatus>

const KIND = 'ImageReview'
const VERSION = 'imagepolicy.k8s.io/v1alpha1'

/** Prints the spec as Go marshals it. */
export function specText({ images, annotations, namespace }: ReviewedImages): string {
  const members = [
    ...(images.length > 0 ? [`"containers":${goJson(images.map(image => (image === '' ? {} : { image })))}`] : []),
    ...(Object.keys(annotations).length > 0 ? [`"annotations":${goJson({ ...annotations })}`] : []),
    ...(namespace === '' ? [] : [`"namespace":${goJson(namespace)}`]),
  ]
  return `{${members.join(',')}}`
}

/** Cache key of a spec. It is hashed because annotations may be long. */
export const reviewKey = (spec: string): string => createHash('sha256').update(spec).digest('base64')

/** Prints an ImageReview. `uncreated` is the metadata that the release writes for an object that was never created. */
export const reviewText = (spec: string, uncreated: object): string =>
  `{"kind":"${KIND}","apiVersion":"${VERSION}","metadata":${JSON.stringify(uncreated)},"spec":${spec},"status":{"allowed":false}}`

/** Decodes the response of the webhook. Throws an Error with apimachinery's message. */
export async function readReview(body: Buffer, schema: StructSchema): Promise<ImageVerdict> {
  if (body.length === 0) throw new Error('0-length response with status code: 200 and content type: application/json')
  const value = await readForeignJson(body, undefined, MOST_REVIEW_VALUES)
  if (!isJsonObject(value))
    throw new Error("couldn't get version/kind; json parse error: json: cannot unmarshal the response into an object")
  const { kind = KIND, apiVersion = VERSION, message } = value
  if (kind === 'Status' && apiVersion === 'v1') throw new Error(typeof message === 'string' ? message : 'the response is a Status')
  if ((kind !== KIND && kind !== '') || (apiVersion !== VERSION && apiVersion !== ''))
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    )
  try {
    const { status } = decodeAs<{ readonly status?: Partial<ImageReviewStatus> }>(schema, value)
    const { allowed = false, reason = '', auditAnnotations = {} } = status ?? {}
    return { allowed, reason, auditAnnotations }
  } catch (error) {
    throw error instanceof DecodeError ? new Error(error.message) : error
  }
}
