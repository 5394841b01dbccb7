import type { RequestAttributes, RequestContext, User } from './context.ts'
import { resourceAttributes } from './request-attributes.ts'

export interface Decision {
  readonly decision: 'allow' | 'deny' | 'no opinion'
  readonly reason: string
  /** The mode that allows or denies it, for showing; absent: a webhook. */
  readonly by?: string
  /** Of a file of rules or policies: which of them, from 1, or its line. */
  readonly rule?: number
  /** What went wrong, where the decision is not what was asked for but what a failure counts as. A request that is not allowed then ends with it. */
  readonly error?: string
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

/** Group that may do everything, by an authorizer that comes before those of all modes. The server itself is in it. */
export const MASTERS = 'system:masters'

export const isMaster = ({ groups }: Pick<User, 'groups'>): boolean => groups.includes(MASTERS)

/** Whether the caller may do this to a resource. Only an authorizer that allows counts; one without an opinion does not. */
export const mayDo = (authorizer: Authorizer, caller: Caller, asked: Parameters<typeof resourceAttributes>[0]): Promise<boolean> =>
  allows(authorizer, caller, resourceAttributes(asked))

/** The same of what a request or a review asks. */
export async function allows(authorizer: Pick<Authorizer, 'authorize'>, { user, signal }: Caller, asked: RequestAttributes): Promise<boolean> {
  return (await authorizer.authorize(user, asked, signal)).decision === 'allow'
}

type Caller = Pick<RequestContext, 'user' | 'signal'>
