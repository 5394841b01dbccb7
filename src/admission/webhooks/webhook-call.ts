import type { AdmissionRequest } from '../../registry/types.ts'
import type { About } from '../attributes.ts'
import type { Webhook } from './webhook.ts'

/** One webhook that is asked about a request. */
export interface WebhookCall {
  readonly hook: Webhook
  /** With the objects as the webhook sees them. */
  readonly request: AdmissionRequest
  readonly about: About
  /** 1 where webhooks are asked a second time. */
  readonly round: 0 | 1
  /** Its place among those of its round, as annotations of the audit event name it. */
  readonly index: number
}
