import type { NonResourceRule, ResourceRule } from '../api/authorization/v1.types.ts'
import type { Steps } from '../lib/steps.ts'
import type { RequestAttributes, RequestContext, User } from './context.ts'
import { resourceAttributes } from './request-attributes.ts'

/**
 * Result of an authorizer. `no opinion` leaves the decision to the next mode, and denies the request if no mode allows
 * it.
 */
export interface AuthorizationDecision {
  readonly decision: 'allow' | 'deny' | 'no opinion'
  /** Reason of the authorizer. Empty if it has none. */
  readonly reason: string
  /** Optional. Authorization mode that allowed or denied the request, for display. Unset for webhooks. */
  readonly by?: string
  /** Optional. Rule in a file: its index, from 1, or its line. */
  readonly rule?: number
  /**
   * Optional. Error because of which the decision was made without an evaluation. If the request is not allowed, it
   * fails with this error.
   */
  readonly error?: string
}

/** Permissions of a user in a namespace, as far as an authorizer can list them. */
export interface UserRules {
  /** Rules for resources, in the order in which they were found. They may overlap. */
  readonly resourceRules: readonly ResourceRule[]
  readonly nonResourceRules: readonly NonResourceRule[]
  /** Whether there may be more. */
  readonly incomplete: boolean
  /** Reasons why the list may be incomplete. */
  readonly errors: readonly string[]
}

/** Decides whether a user may perform a request. */
export interface Authorizer {
  authorize(user: User, request: RequestAttributes, signal: AbortSignal): Promise<AuthorizationDecision>
  /** Optional. Lists permissions for display, in steps if there may be many. They are not used for decisions. */
  rulesFor?(user: User, namespace: string): UserRules | Steps<UserRules>
}

/** Group that may do everything. It is authorized before all configured modes. The server itself belongs to it. */
export const MASTERS = 'system:masters'

/** Reports whether the user is a member of system:masters. */
export const isMaster = ({ groups }: Pick<User, 'groups'>): boolean => groups.includes(MASTERS)

/**
 * Reports whether the caller may use a resource. True only if an authorizer allows it; no opinion counts as a denial.
 */
export const mayDo = (authorizer: Authorizer, caller: Caller, asked: Parameters<typeof resourceAttributes>[0]): Promise<boolean> =>
  allows(authorizer, caller, resourceAttributes(asked))

/** Reports whether the caller may perform a request. */
export async function allows(
  authorizer: Pick<Authorizer, 'authorize'>,
  { user, signal }: Caller,
  asked: RequestAttributes,
): Promise<boolean> {
  return (await authorizer.authorize(user, asked, signal)).decision === 'allow'
}

/** User of a request, and the signal that ends its work. */
type Caller = Pick<RequestContext, 'user' | 'signal'>
