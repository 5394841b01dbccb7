import { createHash } from 'node:crypto'
import { readForeignJson } from '../../../../codec/foreign-json.ts'
import { MOST_REVIEW_VALUES } from '../../../../codec/foreign-review.ts'
import { goJson } from '../../../../codec/json.ts'
import { isJsonObject } from '../../../../meta/object.ts'
import { DecodeError } from '../../../../schema/decode.ts'
import { decodeAs } from '../../../../schema/decode-as.ts'
import type { StructSchema } from '../../../../schema/schema.ts'

/** What a webhook is asked about (imagepolicy.k8s.io/v1alpha1 ImageReviewSpec). */
export interface ReviewedImages {
  readonly images: readonly string[]
  readonly annotations: Readonly<Record<string, string>>
  readonly namespace: string
}

/** What it answers (ImageReviewStatus). */
export interface ImageVerdict {
  readonly allowed: boolean
  readonly reason: string
  readonly auditAnnotations: Readonly<Record<string, string>>
}

const KIND = 'ImageReview'
const VERSION = 'imagepolicy.k8s.io/v1alpha1'

/** The spec as Go writes it. */
export function specText({ images, annotations, namespace }: ReviewedImages): string {
  const members = [
    ...(images.length > 0 ? [`"containers":${goJson(images.map(image => (image === '' ? {} : { image })))}`] : []),
    ...(Object.keys(annotations).length > 0 ? [`"annotations":${goJson({ ...annotations })}`] : []),
    ...(namespace === '' ? [] : [`"namespace":${goJson(namespace)}`]),
  ]
  return `{${members.join(',')}}`
}

/** By which an answer is found again: texts of pods may be long. */
export const reviewKey = (spec: string): string => createHash('sha256').update(spec).digest('base64')

/** `uncreated`: what the release writes of an object that was never created. */
export const reviewText = (spec: string, uncreated: object): string =>
  `{"kind":"${KIND}","apiVersion":"${VERSION}","metadata":${JSON.stringify(uncreated)},"spec":${spec},"status":{"allowed":false}}`

interface Review {
  readonly status?: { readonly allowed?: boolean; readonly reason?: string; readonly auditAnnotations?: Readonly<Record<string, string>> }
}

/** Reads an answer. Throws an Error in the words of apimachinery. */
export async function readReview(body: Buffer, schema: StructSchema): Promise<ImageVerdict> {
  if (body.length === 0) throw new Error('0-length response with status code: 200 and content type: application/json')
  const value = await readForeignJson(body, undefined, MOST_REVIEW_VALUES)
  if (!isJsonObject(value)) throw new Error("couldn't get version/kind; json parse error: json: cannot unmarshal the answer into an object")
  const { kind = KIND, apiVersion = VERSION, message } = value
  if (kind === 'Status' && apiVersion === 'v1') throw new Error(typeof message === 'string' ? message : 'the answer is a Status')
  if ((kind !== KIND && kind !== '') || (apiVersion !== VERSION && apiVersion !== ''))
    throw new Error(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`)
  try {
    const { status = {} } = decodeAs<Review>(schema, value)
    const { allowed = false, reason = '', auditAnnotations = {} } = status
    return { allowed, reason, auditAnnotations }
  } catch (error) {
    throw error instanceof DecodeError ? new Error(error.message) : error
  }
}
