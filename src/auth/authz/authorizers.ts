import { aggregate } from '../../lib/aggregate.ts'
import { type Authorizer, type Decision, isMaster, type KnownRules, MASTERS } from '../../meta/authorizer.ts'
import { ANONYMOUS, AUTHENTICATED } from '../authn/authenticator.ts'

const allowed = (by: string): Decision => ({ decision: 'allow', reason: '', by })
const AS_MASTER = allowed(MASTERS)
const AS_PUBLIC = allowed('public information')
const AS_SELF = allowed('basic user')
const ALWAYS = allowed('AlwaysAllow')
const NO_OPINION: Decision = { decision: 'no opinion', reason: '' }
const PUBLIC: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/'])

const EVERYTHING: KnownRules = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
  errors: [],
}
export const NO_RULES: KnownRules = { resourceRules: [], nonResourceRules: [], incomplete: false, errors: [] }

/** Members of system:masters may do everything. */
export const privileged: Authorizer = {
  authorize: async user => (isMaster(user) ? AS_MASTER : NO_OPINION),
  rulesFor: user => (isMaster(user) ? EVERYTHING : NO_RULES),
}

/** Health and version may be read by everyone, who they may be: what upstream's role system:public-info-viewer gives. Single checks say why they fail, and are not among it. */
export const publicInformation: Authorizer = {
  authorize: async (_user, info) => (!info.isResource && info.verb === 'get' && PUBLIC.has(info.path) ? AS_PUBLIC : NO_OPINION),
  rulesFor: () => ({ ...NO_RULES, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [...PUBLIC] }] }),
}

const SELF_REVIEWS: ReadonlyMap<string, readonly string[]> = new Map([
  ['authentication.k8s.io', ['selfsubjectreviews']],
  ['authorization.k8s.io', ['selfsubjectaccessreviews', 'selfsubjectrulesreviews']],
])

/** Everyone who has proved who they are may ask who they are, and what they may do: what upstream's role system:basic-user gives. */
export const basicUser: Authorizer = {
  authorize: async ({ groups }, { isResource, verb, group, resource, subresource }) =>
    isResource && verb === 'create' && subresource === '' && SELF_REVIEWS.get(group)?.includes(resource) && groups.includes(AUTHENTICATED)
      ? AS_SELF
      : NO_OPINION,
  rulesFor: ({ groups }) =>
    groups.includes(AUTHENTICATED)
      ? { ...NO_RULES, resourceRules: [...SELF_REVIEWS].map(([group, resources]) => ({ verbs: ['create'], apiGroups: [group], resources })) }
      : NO_RULES,
}

/** Everyone who has proved who they are may do everything. */
export const alwaysAllow: Authorizer = {
  authorize: async user => (user === ANONYMOUS || user.name === ANONYMOUS.name ? NO_OPINION : ALWAYS),
  rulesFor: user => (user.name === ANONYMOUS.name ? NO_RULES : EVERYTHING),
}

/** The mode AlwaysDeny: no opinion, with a reason. A mode after it may still allow. */
export const alwaysDeny: Authorizer = {
  authorize: async () => ({ decision: 'no opinion', reason: 'Everything is forbidden.' }),
}

/** The first opinion counts; without any, the reasons and errors of those who had none are reported. The rules of all are reported, one after the other. */
export function union(authorizers: readonly Authorizer[]): Authorizer {
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
    rulesFor(user, namespace) {
      const known = authorizers.flatMap(authorizer => authorizer.rulesFor?.(user, namespace) ?? [])
      return {
        resourceRules: known.flatMap(({ resourceRules }) => resourceRules),
        nonResourceRules: known.flatMap(({ nonResourceRules }) => nonResourceRules),
        incomplete: known.some(({ incomplete }) => incomplete),
        errors: known.flatMap(({ errors }) => errors),
      }
    },
  }
}
