import type { AdmissionRequest } from '../../registry/types.ts'
import type { VersionedResource } from '../attributes.ts'
import type { Webhook } from './webhook.ts'

/** Call of one webhook for a request. */
export interface WebhookCall {
  readonly hook: Webhook
  /** Request with the objects as the webhook sees them. */
  readonly request: AdmissionRequest
  readonly about: VersionedResource
  /** 1 in the reinvocation pass. */
  readonly round: 0 | 1
  /** Index within the pass, as annotations of the audit event show it. */
  readonly index: number
}
