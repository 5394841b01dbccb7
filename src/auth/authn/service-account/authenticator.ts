import type { ObjectMeta } from '../../../api/meta/object.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { quoteAll } from '../../../lib/go-quote.ts'
import type { User } from '../../../meta/context.ts'
import { commonAudiences } from '../common-audiences.ts'
import type { TokenAuthenticator, TokenResult } from '../token.ts'
import { readClaims, type ServiceAccountClaims, userOfClaims } from './claims.ts'
import { issuerOf, type KeysOf, Verifier } from './verify.ts'

/** Resources that tokens are bound to. */
export type TokenResource = 'serviceaccounts' | 'pods' | 'secrets' | 'nodes'

/** Options for verifying service account tokens. */
export interface ServiceAccountTokenOptions {
  /** Accepted issuers. The first is that of new tokens. */
  readonly issuers: readonly string[]
  readonly keys: KeysOf
  /** Returns the current metadata of an object. Rejects with NotFound. */
  readonly lookUp: (resource: TokenResource, namespace: string, name: string) => Promise<ObjectMeta>
  /** Optional. Default: `checked`. */
  readonly boundToNodes?: NodeBinding
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Treatment of tokens bound to a node. `ignored`: before 1.29. `refused`: ServiceAccountTokenNodeBindingValidation is
 * off.
 */
export type NodeBinding = 'checked' | 'refused' | 'ignored'

/** Allowed clock difference between machines. */
const LEEWAY_SECONDS = 60

const INVALIDATED = 'service account token has been invalidated'

/**
 * Authenticates service account tokens that this server signed. The signature is verified once. Expiry, and the
 * existence of the account and the bound objects, are checked per request
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#service-account-tokens).
 */
export function serviceAccountTokens(options: ServiceAccountTokenOptions): TokenAuthenticator {
  const verifier = new Verifier(options.keys, readClaims)
  const check = async (token: string, audiences: readonly string[]): Promise<TokenResult> => {
    const claims = await verifier.claims(token)
    if ('error' in claims) return claims
    const meant = commonAudiences(claims.aud, audiences)
    if (meant.length === 0)
      return { error: `token audiences ${quoteAll(claims.aud)} is invalid for the target audiences ${quoteAll(audiences)}` }
    const error = faultOfTime(claims, options.now() / 1000) ?? (await faultOfObjects(claims, options))
    if (error === undefined)
      return { user: { ...userOfClaims(claims), ...staleNote(claims, options.now()) }, audiences: meant, source: 'service account' }
    verifier.forget(token)
    return { error }
  }
  return (token, audiences) => (verifier.has(token) || options.issuers.includes(issuerOf(token)) ? check(token, audiences) : undefined)
}

/** Audit note for a token with extended lifetime that should have been renewed. */
function staleNote({ sub, 'kubernetes.io': { warnafter } }: ServiceAccountClaims, now: number): Pick<User, 'credentialNotes'> {
  const seconds = Math.floor(now / 1000)
  if (!warnafter || seconds <= warnafter) return {}
  return {
    credentialNotes: { 'authentication.k8s.io/stale-token': `subject: ${sub}, seconds after warning threshold: ${seconds - warnafter}` },
  }
}

/** Checks the time claims (RFC 7519), in seconds, with a leeway for clock skew. */
function faultOfTime({ exp, nbf, iat }: ServiceAccountClaims, now: number): string | undefined {
  if (now - LEEWAY_SECONDS > exp) return 'service account token has expired'
  if (now + LEEWAY_SECONDS < nbf) return 'service account token is not valid yet'
  if (now + LEEWAY_SECONDS < iat) return 'service account token is issued in the future'
  return undefined
}

/** Checks that the account and the bound object still exist with the same UIDs. Returns the error, if any. */
async function faultOfObjects(claims: ServiceAccountClaims, options: ServiceAccountTokenOptions): Promise<string | undefined> {
  const { namespace, serviceaccount, secret, pod, node } = claims['kubernetes.io']
  const { boundToNodes = 'checked' } = options
  // A pod token names its node but remains valid without it.
  const onNode = pod || boundToNodes === 'ignored' ? undefined : node
  const deletedBefore = options.now() - LEEWAY_SECONDS * 1000
  const isGone = ({ deletionTimestamp }: ObjectMeta): boolean =>
    deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < deletedBefore
  let account: ObjectMeta
  try {
    account = await options.lookUp('serviceaccounts', namespace, serviceaccount.name)
  } catch (error) {
    return errorMessage(error)
  }
  if (account.uid !== serviceaccount.uid) return `service account UID (${account.uid}) does not match claim (${serviceaccount.uid})`
  if (isGone(account)) return `service account ${namespace}/${serviceaccount.name} has been deleted`
  const bound = [
    { kind: 'secret', resource: 'secrets', reference: secret, namespace },
    { kind: 'pod', resource: 'pods', reference: pod, namespace },
    { kind: 'node', resource: 'nodes', reference: onNode, namespace: '' },
  ] as const
  for (const { kind, resource, reference, namespace: where } of bound) {
    if (!reference) continue
    if (kind === 'node' && boundToNodes === 'refused')
      return 'token is bound to a Node object but the ServiceAccountTokenNodeBindingValidation feature gate is disabled'
    const found = await options.lookUp(resource, where, reference.name).catch(() => undefined)
    if (found === undefined) return INVALIDATED
    if (found.uid !== reference.uid) return `${kind} UID (${found.uid}) does not match service account ${kind} ref claim (${reference.uid})`
    if (isGone(found)) return INVALIDATED
  }
  return undefined
}
