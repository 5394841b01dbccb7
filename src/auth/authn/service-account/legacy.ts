import { timingSafeEqual } from 'node:crypto'
import { isJsonObject, type Json, type KubeObject } from '../../../api/meta/object.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { commonAudiences } from '../common-audiences.ts'
import type { TokenAuthenticator, TokenResult } from '../token.ts'
import { serviceAccountName } from './claims.ts'
import { issuerOf, type KeysOf, Verifier } from './verify.ts'

/** Issuer of tokens in Secrets. */
export const LEGACY_ISSUER = 'kubernetes/serviceaccount'

/** Prefix of the claims. */
const PREFIX = 'kubernetes.io/serviceaccount'
/** Label that the cleaner of legacy tokens sets on Secrets that have not been used for long (KEP-2799). */
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since'

/** Claims of a token in a Secret, in the order in which they are encoded. They have no expiry and no audience. */
export interface LegacyClaims {
  /** LEGACY_ISSUER. */
  readonly iss: string
  readonly 'kubernetes.io/serviceaccount/namespace': string
  readonly 'kubernetes.io/serviceaccount/secret.name': string
  readonly 'kubernetes.io/serviceaccount/service-account.name': string
  readonly 'kubernetes.io/serviceaccount/service-account.uid': string
  /** `system:serviceaccount:NAMESPACE:NAME`. */
  readonly sub: string
}

/** Returns the claims of a token that is bound to its Secret and does not expire. */
export const legacyClaims = (account: KubeObject, secret: KubeObject): LegacyClaims => {
  const { namespace = '', name = '', uid = '' } = account.metadata
  return {
    iss: LEGACY_ISSUER,
    'kubernetes.io/serviceaccount/namespace': namespace,
    'kubernetes.io/serviceaccount/secret.name': secret.metadata.name ?? '',
    'kubernetes.io/serviceaccount/service-account.name': name,
    'kubernetes.io/serviceaccount/service-account.uid': uid,
    sub: serviceAccountName(namespace, name),
  }
}

/** Parsed claims. None is empty. */
interface Claims {
  readonly namespace: string
  readonly secret: string
  readonly account: string
  readonly uid: string
}

/** Parses the claims of a token in a Secret. Undefined if one is missing or `sub` contradicts the others. */
function readLegacyClaims(payload: Json): Claims | undefined {
  const claims = isJsonObject(payload) ? payload : {}
  const text = (name: string): string => {
    const { [name]: claim } = claims
    return typeof claim === 'string' ? claim : ''
  }
  const [namespace, secret, account, uid] = ['namespace', 'secret.name', 'service-account.name', 'service-account.uid'].map(name =>
    text(`${PREFIX}/${name}`),
  )
  if (!namespace || !secret || !account || !uid || text('sub') !== serviceAccountName(namespace, account)) return undefined
  return { namespace, secret, account, uid }
}

/** Options for verifying tokens in Secrets. */
export interface LegacyTokenOptions {
  /** Public keys that may have signed a token. */
  readonly keys: KeysOf
  /** Audiences of this server. The tokens have none, so they are valid for this server. */
  readonly serverAudiences: readonly string[]
  /**
   * Returns the current object. Rejects with NotFound. Omitted with `--service-account-lookup=false`: then the
   * signature suffices.
   */
  readonly lookUp?: (resource: 'serviceaccounts' | 'secrets', namespace: string, name: string) => Promise<KubeObject>
}

/** Key of the annotation of audit events. Keys of other annotations begin with it. */
const NOTE = 'authentication.k8s.io/legacy-token'

/** Whether the account lists the Secret, as for Secrets that were created automatically with the account. */
const isMadeFor = ({ secrets }: KubeObject, secret: string): boolean =>
  Array.isArray(secrets) && secrets.some(one => isJsonObject(one) && one.name === secret)

const isSameText = (a: string, b: string): boolean => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/**
 * Authenticates service account tokens from Secrets, which the token controller creates
 * (https://kubernetes.io/docs/concepts/configuration/secret/#serviceaccount-token-secrets). They are valid as long as
 * Secret and account exist.
 */
export function legacyTokens({ keys, serverAudiences, lookUp }: LegacyTokenOptions): TokenAuthenticator {
  const verifier = new Verifier(keys, readLegacyClaims)
  /** Returns the reason of a rejection, or annotations for the audit event. */
  const look = async (token: string, { namespace, secret, account, uid }: Claims): Promise<string | Readonly<Record<string, string>>> => {
    if (lookUp === undefined) return {}
    const kept = await lookUp('secrets', namespace, secret).catch(() => undefined)
    if (kept === undefined || kept.metadata.deletionTimestamp !== undefined) return 'Token has been invalidated'
    const { token: copy = '' } = isJsonObject(kept.data) ? kept.data : {}
    if (!isSameText(String(copy), Buffer.from(token).toString('base64'))) return "Token does not match server's copy"
    let found: KubeObject
    try {
      found = await lookUp('serviceaccounts', namespace, account)
    } catch (error) {
      return errorMessage(error)
    }
    if (found.metadata.deletionTimestamp !== undefined) return `ServiceAccount ${namespace}/${account} has been deleted`
    if (found.metadata.uid !== uid) return `ServiceAccount UID (${found.metadata.uid}) does not match claim (${uid})`
    if (!kept.metadata.labels?.[INVALID_SINCE])
      return { [`${NOTE}-${isMadeFor(found, secret) ? 'autogenerated' : 'manual'}-secret`]: secret }
    return `the token in secret ${namespace}/${secret} for service account ${namespace}/${account} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token`
  }
  const check = async (token: string, audiences: readonly string[]): Promise<TokenResult> => {
    const claims = await verifier.claims(token)
    if ('error' in claims) return claims
    const meant = commonAudiences(serverAudiences, audiences)
    if (meant.length === 0)
      return {
        error: `token audiences ${JSON.stringify(serverAudiences)} is invalid for the target audiences ${JSON.stringify(audiences)}`,
      }
    const notes = await look(token, claims)
    if (typeof notes === 'string') return { error: notes }
    const { namespace, account, uid } = claims
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
    const name = serviceAccountName(namespace, account)
    return { user: { name, uid, groups, credentialNotes: { [NOTE]: name, ...notes } }, audiences: meant, source: 'service account' }
  }
  return (token, audiences) => (verifier.has(token) || issuerOf(token) === LEGACY_ISSUER ? check(token, audiences) : undefined)
}
