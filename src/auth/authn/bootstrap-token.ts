import { timingSafeEqual } from 'node:crypto'
import type { TypedObject } from '../../api/meta/object.ts'
import { commonAudiences } from './common-audiences.ts'
import type { TokenAuthenticator, TokenIdentity } from './token.ts'

/** The part of a Secret that is read here. */
type SecretObject = TypedObject & { readonly type?: string; readonly data?: Readonly<Record<string, string | null>> | null }

/** Options of the bootstrap token authenticator. */
export interface BootstrapTokenOptions {
  /**
   * Returns a Secret of kube-system, or undefined. Must read from memory only, because unauthenticated clients can
   * trigger it.
   */
  getSecret(name: string): Promise<SecretObject | undefined>
  /** Audiences of the server, all of which a bootstrap token has. */
  readonly serverAudiences: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Called with the reason why a token with a matching Secret is rejected. Clients do not see it. */
  readonly refused: (why: string) => void
}

/** Type of the Secret. */
const TYPE = 'bootstrap.kubernetes.io/token'
/** ID and secret. The ID is public: it is part of the Secret's name. */
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
/** Group of every bootstrap token. */
const GROUP = 'system:bootstrappers'
/** Groups that a Secret may add. */
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/
/** Form of the expiration. JavaScript's own parser would accept more. */
const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

/**
 * Authenticates bootstrap tokens, with which nodes join a cluster. They are stored in Secrets of kube-system.
 * https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/
 */
export function bootstrapTokens(options: BootstrapTokenOptions): TokenAuthenticator {
  const { getSecret, serverAudiences, refused } = options
  return (token, audiences) => {
    const [, id, secret] = TOKEN.exec(token) ?? []
    if (id === undefined || secret === undefined) return undefined
    const meant = commonAudiences(audiences, serverAudiences)
    if (meant.length === 0 && audiences.length > 0) return undefined
    return getSecret(`bootstrap-token-${id}`).then((found): TokenIdentity | undefined => {
      if (!found) return undefined
      const groups = tokenGroups(found, { id, secret }, options.now())
      if (typeof groups !== 'string')
        return { user: { name: `system:bootstrap:${id}`, groups }, audiences: meant, source: 'bootstrap token' }
      refused(`Bootstrap secret kube-system/${found.metadata.name ?? ''} matching bearer token ${groups}`)
      return undefined
    })
  }
}

/** Returns the groups of the token's user, or the reason why the token is rejected. */
function tokenGroups(
  found: SecretObject,
  token: { readonly id: string; readonly secret: string },
  now: number,
): readonly string[] | string {
  const data = found.data ?? undefined
  const text = (key: string): string =>
    Buffer.from((data && Object.hasOwn(data, key) ? data[key] : undefined) ?? '', 'base64').toString('utf8')
  if (found.metadata.deletionTimestamp !== undefined) return 'is deleted and awaiting removal'
  if (found.type !== TYPE || data === undefined) return `has invalid type, expected ${TYPE}.`
  if (!isSameSecret(text('token-secret'), token.secret)) return 'has invalid value for key token-secret.'
  if (text('token-id') !== token.id) return 'has invalid value for key token-id.'
  if (hasExpired(text('expiration'), now)) return 'has expired.'
  if (text('usage-bootstrap-authentication') !== 'true') return 'not marked usage-bootstrap-authentication=true.'
  const extra = text('auth-extra-groups')
  const groups = extra === '' ? [] : extra.split(',')
  const bad = groups.find(group => !EXTRA_GROUP.test(group))
  if (bad !== undefined)
    return `has invalid value for key auth-extra-groups: bootstrap group ${JSON.stringify(bad)} is invalid (must match ${EXTRA_GROUP.source}).`
  return [...new Set([GROUP, ...groups])].sort()
}

/** Compares in constant time for equal lengths. */
function isSameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Whether the token has expired. A malformed time counts as expired. */
const hasExpired = (expiration: string, now: number): boolean =>
  expiration !== '' && !(RFC3339.test(expiration) && Date.parse(expiration) > now)
