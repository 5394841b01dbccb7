import type { AccessReviewVersion } from '../webhook/access-review.ts'
import type { Matcher } from '../webhook/authorizer.ts'

/** Modes without settings. A chain contains each at most once. */
export type PlainMode = 'ABAC' | 'AlwaysAllow' | 'AlwaysDeny' | 'Node' | 'RBAC'

/** Settings of an authorization webhook. Times in milliseconds. A TTL of 0 disables caching. */
export interface WebhookSettings {
  readonly kubeconfigFile: string
  readonly timeoutMs: number
  readonly authorizedTtlMs: number
  readonly unauthorizedTtlMs: number
  /** Version of SubjectAccessReview. */
  readonly version: AccessReviewVersion
  /** Decision if the call fails. */
  readonly onFailure: 'no opinion' | 'deny'
  /** Optional. Default: the webhook is called for every request. */
  readonly matcher?: Matcher
  /** Expressions of the match conditions. */
  readonly expressions: readonly string[]
}

/** Entry of the authorizer chain. */
export type AuthorizerEntry =
  | { readonly type: 'Webhook'; readonly name: string; readonly webhook: WebhookSettings }
  | { readonly type: PlainMode; readonly name: string }

/** Name of a mode that a flag enables. */
export const nameOfMode = (mode: string): string => mode.toLowerCase()
