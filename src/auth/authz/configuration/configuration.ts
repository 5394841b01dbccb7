import type { Matcher } from '../webhook/authorizer.ts'

/** Modes of which a chain has one at most, and which need nothing but their name. */
export type PlainMode = 'ABAC' | 'AlwaysAllow' | 'AlwaysDeny' | 'Node' | 'RBAC'

/** How a webhook is asked. Times in milliseconds; 0: answers are not kept. */
export interface WebhookSettings {
  readonly kubeconfigFile: string
  readonly timeoutMs: number
  readonly authorizedTtlMs: number
  readonly unauthorizedTtlMs: number
  /** Of SubjectAccessReview. */
  readonly version: 'v1' | 'v1beta1'
  /** What a failure counts as. */
  readonly onFailure: 'no opinion' | 'deny'
  /** Absent: it is asked about every request. */
  readonly matcher?: Matcher
  /** The conditions that the matcher looks at. */
  readonly expressions: readonly string[]
}

/** One of the chain, in which all are asked in turn. */
export type AuthorizerEntry =
  | { readonly type: 'Webhook'; readonly name: string; readonly webhook: WebhookSettings }
  | { readonly type: PlainMode; readonly name: string }

/** The name of a mode that is given by a flag. */
export const nameOfMode = (mode: string): string => mode.toLowerCase()
