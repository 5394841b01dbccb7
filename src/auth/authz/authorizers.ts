import { aggregate } from '../../lib/aggregate.ts'
import { runIfSteps, type Steps } from '../../lib/steps.ts'
import { type AuthorizationDecision, type Authorizer, isMaster, MASTERS, type UserRules } from '../../meta/authorizer.ts'
import { ANONYMOUS, AUTHENTICATED } from '../authn/authenticator.ts'

const allowed = (by: string): AuthorizationDecision => ({ decision: 'allow', reason: '', by })
const AS_MASTER = allowed(MASTERS)
const AS_PUBLIC = allowed('public information')
const AS_SELF = allowed('basic user')
const ALWAYS = allowed('AlwaysAllow')
const NO_OPINION: AuthorizationDecision = { decision: 'no opinion', reason: '' }
/** Non-resource paths that every user may read. */
const PUBLIC: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/'])

const EVERYTHING: UserRules = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
  errors: [],
}
/** Rules of a user who is allowed nothing. */
export const NO_RULES: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: false, errors: [] }

/** Allows everything to members of system:masters. */
export const privileged: Authorizer = {
  authorize: async user => (isMaster(user) ? AS_MASTER : NO_OPINION),
  rulesFor: user => (isMaster(user) ? EVERYTHING : NO_RULES),
}

/**
 * Allows every user to read health and version, as upstream's role system:public-info-viewer does. Individual checks
 * are excluded, because they reveal why they fail.
 */
export const publicInformation: Authorizer = {
  authorize: async (_user, info) => (!info.isResource && info.verb === 'get' && PUBLIC.has(info.path) ? AS_PUBLIC : NO_OPINION),
  rulesFor: () => ({ ...NO_RULES, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [...PUBLIC] }] }),
}

const SELF_REVIEWS: ReadonlyMap<string, readonly string[]> = new Map([
  ['authentication.k8s.io', ['selfsubjectreviews']],
  ['authorization.k8s.io', ['selfsubjectaccessreviews', 'selfsubjectrulesreviews']],
])

/** Allows authenticated users to review themselves, as upstream's role system:basic-user does. */
export const basicUser: Authorizer = {
  authorize: async ({ groups }, { isResource, verb, group, resource, subresource }) =>
    isResource && verb === 'create' && subresource === '' && SELF_REVIEWS.get(group)?.includes(resource) && groups.includes(AUTHENTICATED)
      ? AS_SELF
      : NO_OPINION,
  rulesFor: ({ groups }) =>
    groups.includes(AUTHENTICATED)
      ? {
          ...NO_RULES,
          resourceRules: [...SELF_REVIEWS].map(([group, resources]) => ({
            verbs: ['create'],
            apiGroups: [group],
            resources: [...resources],
          })),
        }
      : NO_RULES,
}

/** Allows authenticated users everything. */
export const alwaysAllow: Authorizer = {
  authorize: async user => (user === ANONYMOUS || user.name === ANONYMOUS.name ? NO_OPINION : ALWAYS),
  rulesFor: user => (user.name === ANONYMOUS.name ? NO_RULES : EVERYTHING),
}

/** Authorization mode AlwaysDeny. It has no opinion, so a later mode may still allow the request. */
export const alwaysDeny: Authorizer = {
  authorize: async () => ({ decision: 'no opinion', reason: 'Everything is forbidden.' }),
}

/**
 * Combines authorizers. The first that allows or denies decides; if none does, reasons and errors are joined. Rules are
 * concatenated.
 */
export function joinAuthorizers(authorizers: readonly Authorizer[]): Authorizer {
  return {
    async authorize(user, info, signal) {
      const reasons: string[] = []
      const errors: string[] = []
      for (const authorizer of authorizers) {
        const decision = await authorizer.authorize(user, info, signal)
        if (decision.decision !== 'no opinion') return decision
        if (decision.reason !== '') reasons.push(decision.reason)
        if (decision.error !== undefined) errors.push(decision.error)
      }
      if (reasons.length === 0 && errors.length === 0) return NO_OPINION
      return { decision: 'no opinion', reason: reasons.join('\n'), ...(errors.length > 0 && { error: aggregate(errors) }) }
    },
    *rulesFor(user, namespace): Steps<UserRules> {
      const known: UserRules[] = []
      for (const authorizer of authorizers) {
        const rules = authorizer.rulesFor?.(user, namespace)
        if (rules) known.push(yield* runIfSteps(rules))
      }
      return {
        resourceRules: known.flatMap(({ resourceRules }) => resourceRules),
        nonResourceRules: known.flatMap(({ nonResourceRules }) => nonResourceRules),
        incomplete: known.some(({ incomplete }) => incomplete),
        errors: known.flatMap(({ errors }) => errors),
      }
    },
  }
}
