import type { Authorizer, Decision } from '../../meta/authorizer.ts'
import { ANONYMOUS, MASTERS } from '../authn/authenticator.ts'

const ALLOW: Decision = { decision: 'allow', reason: '' }
const NO_OPINION: Decision = { decision: 'no opinion', reason: '' }
const PUBLIC: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/'])

/** Whoever is in system:masters may do everything. */
export const privileged: Authorizer = {
  authorize: async user => (user.groups.includes(MASTERS) ? ALLOW : NO_OPINION),
}

/** Health and version may be read by everyone, who they may be: what upstream's role system:public-info-viewer gives. */
export const publicInformation: Authorizer = {
  authorize: async (_user, info) => (!info.isResource && info.verb === 'get' && isPublic(info.path) ? ALLOW : NO_OPINION),
}

const isPublic = (path: string): boolean => PUBLIC.has(path) || /^\/(?:healthz|livez|readyz)\/[^/]+$/.test(path)

/** Everyone who has proved who they are may do everything. */
export const alwaysAllow: Authorizer = {
  authorize: async user => (user === ANONYMOUS || user.name === ANONYMOUS.name ? NO_OPINION : ALLOW),
}

export const alwaysDeny: Authorizer = {
  authorize: async () => ({ decision: 'no opinion', reason: 'Everything is forbidden.' }),
}

/** The first opinion counts; without any, the reasons of those who had none are told. */
export function union(authorizers: readonly Authorizer[]): Authorizer {
  return {
    async authorize(user, info, signal) {
      const reasons: string[] = []
      for (const authorizer of authorizers) {
        const decision = await authorizer.authorize(user, info, signal)
        if (decision.decision !== 'no opinion') return decision
        if (decision.reason !== '') reasons.push(decision.reason)
      }
      return reasons.length === 0 ? NO_OPINION : { decision: 'no opinion', reason: reasons.join('\n') }
    },
  }
}
