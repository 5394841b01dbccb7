import type { AdmissionResponse, AdmissionReview } from '../../api/admission/v1.types.ts'
import type { Json } from '../../api/meta/object.ts'
import { typeOfBody } from '../../codec/body.ts'
import { readForeignReview } from '../../codec/foreign-review.ts'
import { YamlError } from '../../codec/yaml-tree.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { parseApiVersion } from '../../meta/gvk.ts'
import { failure, type Status, StatusError } from '../../meta/status.ts'
import { DecodeError } from '../../schema/decode.ts'
import { decodeAs } from '../../schema/decode-as.ts'
import type { StructSchema } from '../../schema/schema.ts'
import { WebhookCallError } from './call-error.ts'
import type { ReviewVersion } from './review.ts'

/** Decoded response of a webhook. */
export interface WebhookVerdict {
  /** Whether the webhook admits the request. False if the response does not say so. */
  readonly allowed: boolean
  /** Status of a rejection. */
  readonly status: Partial<Status> | undefined
  /** Texts for `Warning` headers of the response to the client. */
  readonly warnings: readonly string[]
  /** Keys lack the prefix with the webhook's name. */
  readonly auditAnnotations: Readonly<Record<string, string>>
  /** JSON. Empty if the object is unchanged. */
  readonly patch: Buffer
  /** Empty without a patch in v1. Always `JSONPatch` in v1beta1. */
  readonly patchType: string
}

/** Requirements that the response must meet. */
export interface Expected {
  /** Version of the review that was sent. The webhook must respond to a v1 review in v1. */
  readonly version: ReviewVersion
  /** UID of the request, which the response must repeat in v1. */
  readonly uid: string
  /** Whether the webhook may return a patch. */
  readonly mutating: boolean
  /** Schema of AdmissionReview. */
  readonly schema: StructSchema
}

const REVIEW = 'AdmissionReview'
const GROUP = 'admission.k8s.io'
const UNAVAILABLE = 503

/**
 * Decodes and validates the response of an admission webhook. Throws a WebhookCallError: with apimachinery's message if
 * it cannot be decoded, with kube-apiserver's if it does not match the request. v1beta1 has fewer requirements, as
 * upstream.
 */
export async function readVerdict(body: Buffer, { version, uid, mutating, schema }: Expected): Promise<WebhookVerdict> {
  const { response, kind = '', apiVersion = '' } = await readReview(body, version, schema)
  const invalid = (why: string): WebhookCallError =>
    new WebhookCallError(`received invalid webhook response: ${why}`, { code: UNAVAILABLE })
  if (!response) throw invalid('webhook response was absent')
  const patch = Buffer.from(response.patch ?? '', 'base64')
  const { allowed = false, status, warnings = [], auditAnnotations = {}, patchType } = response
  const verdict = { allowed, status, warnings, auditAnnotations }
  if (version === 'v1beta1') return { ...verdict, patch: mutating ? patch : Buffer.alloc(0), patchType: 'JSONPatch' }
  if (response.uid !== uid) throw invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`)
  if (kind !== REVIEW || apiVersion !== `${GROUP}/v1`)
    throw invalid(
      `expected webhook response of ${GROUP}/v1, Kind=${REVIEW}, got ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`,
    )
  if (!mutating && patch.length > 0) throw invalid('validating webhook may not return response.patch')
  if (!mutating && patchType !== undefined) throw invalid('validating webhook may not return response.patchType')
  if (patch.length > 0 && patchType === undefined) throw invalid('webhook returned response.patch but not response.patchType')
  if (patch.length === 0 && patchType !== undefined) throw invalid('webhook returned response.patchType but not response.patch')
  if (patchType === '') throw invalid('webhook returned invalid response.patchType of ""')
  return { ...verdict, patch, patchType: patchType ?? '' }
}

/** AdmissionReview as decoded: any member of the response can be absent. */
interface DecodedReview extends Pick<AdmissionReview, 'kind' | 'apiVersion'> {
  readonly response?: Partial<Omit<AdmissionResponse, 'status'>> & { readonly status?: Partial<Status> }
}

/** Decodes an AdmissionReview. Throws a WebhookCallError if it is of another type or version. */
async function readReview(body: Buffer, version: ReviewVersion, schema: StructSchema): Promise<DecodedReview> {
  const failed = (why: string): WebhookCallError => new WebhookCallError(`failed to call webhook: ${why}`)
  let value: Json
  try {
    value = await readForeignReview(body)
  } catch (error) {
    throw failed(error instanceof YamlError ? error.message : `couldn't get version/kind; json parse error: ${errorMessage(error)}`)
  }
  // Go's decoder leaves the struct empty for null.
  if (value === null) return {}
  const { kind, apiVersion } = claimedBy(value, failed)
  if (kind === 'Status' && apiVersion === 'v1') throw failed(`converting (v1.Status) to (${version}.${REVIEW}): unknown conversion`)
  const [group, name] = apiVersion === '' ? [GROUP, version] : apiVersion.split('/', 2)
  if ((kind !== '' && kind !== REVIEW) || group !== GROUP || (name !== 'v1' && name !== 'v1beta1'))
    throw failed(
      `no kind ${JSON.stringify(kind || REVIEW)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`,
    )
  if (name !== version) throw failed(`converting (${name}.${REVIEW}) to (${version}.${REVIEW}): unknown conversion`)
  try {
    return { kind, apiVersion, ...decodeAs<Pick<DecodedReview, 'response'>>(schema, value) }
  } catch (error) {
    throw error instanceof DecodeError ? failed(error.message) : error
  }
}

/** Reads kind and apiVersion. Throws a WebhookCallError if they are malformed. */
function claimedBy(value: Json, failed: (why: string) => WebhookCallError): { readonly kind: string; readonly apiVersion: string } {
  try {
    const claimed = typeOfBody(value)
    if (!parseApiVersion(claimed.apiVersion)) throw new DecodeError(`unexpected GroupVersion string: ${claimed.apiVersion}`)
    return claimed
  } catch (error) {
    throw error instanceof DecodeError ? failed(error.message) : error
  }
}

/**
 * Error of a request that a webhook rejected. It has the webhook's status and message, but its code is at least 400.
 */
export function denial(name: string, result: Partial<Status> | undefined): StatusError {
  const { status, metadata = {}, message, reason, code = 0, details } = result ?? {}
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`
  const text = message || reason
  const { status: refusal } = failure(
    Math.max(code, 400),
    reason ?? '',
    text ? `${denied}: ${text}` : `${denied} without explanation`,
    details,
  )
  return new StatusError({ ...refusal, metadata, ...(status !== undefined && status !== 'Success' && { status }) })
}
