import type { RequestAttributes, User } from './context.ts'

export interface Decision {
  readonly decision: 'allow' | 'deny' | 'no opinion'
  readonly reason: string
}

/** authorization.k8s.io ResourceRule. */
export interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

/** authorization.k8s.io NonResourceRule. */
export interface NonResourceRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

/** What a user may do in a namespace, as far as an authorizer knows. */
export interface KnownRules {
  readonly resourceRules: readonly ResourceRule[]
  readonly nonResourceRules: readonly NonResourceRule[]
  /** There may be more. */
  readonly incomplete: boolean
  /** Why it may be incomplete. */
  readonly errors: readonly string[]
}

export interface Authorizer {
  authorize(user: User, request: RequestAttributes, signal: AbortSignal): Promise<Decision>
  /** For showing, not for deciding. Absent if there are none. */
  rulesFor?(user: User, namespace: string): KnownRules
}
