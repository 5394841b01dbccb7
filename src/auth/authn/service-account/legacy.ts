import { timingSafeEqual } from 'node:crypto'
import { errorMessage } from '../../../lib/error-message.ts'
import { isJsonObject, type Json, type KubeObject } from '../../../meta/object.ts'
import type { TokenAnswer, TokenAuthenticator } from '../token.ts'
import { serviceAccountName } from './claims.ts'
import type { VerificationKey } from './keys.ts'
import { issuerOf, Verifier } from './verify.ts'

/** The issuer of tokens that secrets hold. */
export const LEGACY_ISSUER = 'kubernetes/serviceaccount'

const PREFIX = 'kubernetes.io/serviceaccount'
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since'

/** What a token says that is kept in a Secret: no end and no audience. Members in the order in which they are written. */
export interface LegacyClaims {
  readonly iss: string
  readonly 'kubernetes.io/serviceaccount/namespace': string
  readonly 'kubernetes.io/serviceaccount/secret.name': string
  readonly 'kubernetes.io/serviceaccount/service-account.name': string
  readonly 'kubernetes.io/serviceaccount/service-account.uid': string
  readonly sub: string
}

/** They have no end, and are bound to the secret. */
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

interface Claims {
  readonly namespace: string
  readonly secret: string
  readonly account: string
  readonly uid: string
}

function readLegacyClaims(payload: Json): Claims | undefined {
  const claims = isJsonObject(payload) ? payload : {}
  const text = (name: string): string => {
    const { [name]: claim } = claims
    return typeof claim === 'string' ? claim : ''
  }
  const [namespace, secret, account, uid] = ['namespace', 'secret.name', 'service-account.name', 'service-account.uid'].map(name => text(`${PREFIX}/${name}`))
  if (!namespace || !secret || !account || !uid || text('sub') !== serviceAccountName(namespace, account)) return undefined
  return { namespace, secret, account, uid }
}

/** What a token of a secret is verified against. */
export interface LegacyTokenOptions {
  readonly keys: () => Promise<readonly VerificationKey[]>
  /** They say nothing of audiences, so they are meant for this server. */
  readonly serverAudiences: readonly string[]
  /** The object as it is now. Throws a NotFound where there is none. Absent (`--service-account-lookup=false`): the signature is enough. */
  readonly lookUp?: (resource: 'serviceaccounts' | 'secrets', namespace: string, name: string) => Promise<KubeObject>
}

const same = (a: string, b: string): boolean => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/**
 * Tokens of service accounts that are kept in Secrets, as a token controller makes them
 * (https://kubernetes.io/docs/concepts/configuration/secret/#serviceaccount-token-secrets). They are good as long as their Secret and their account are there.
 */
export function legacyTokens({ keys, serverAudiences, lookUp }: LegacyTokenOptions): TokenAuthenticator {
  const verifier = new Verifier(keys, readLegacyClaims)
  const faultOf = async (token: string, { namespace, secret, account, uid }: Claims): Promise<string | undefined> => {
    if (lookUp === undefined) return undefined
    const kept = await lookUp('secrets', namespace, secret).catch(() => undefined)
    if (kept === undefined || kept.metadata.deletionTimestamp !== undefined) return 'Token has been invalidated'
    const { token: copy = '' } = isJsonObject(kept.data) ? kept.data : {}
    if (!same(String(copy), Buffer.from(token).toString('base64'))) return "Token does not match server's copy"
    let found: KubeObject
    try {
      found = await lookUp('serviceaccounts', namespace, account)
    } catch (error) {
      return errorMessage(error)
    }
    if (found.metadata.deletionTimestamp !== undefined) return `ServiceAccount ${namespace}/${account} has been deleted`
    if (found.metadata.uid !== uid) return `ServiceAccount UID (${found.metadata.uid}) does not match claim (${uid})`
    if (!kept.metadata.labels?.[INVALID_SINCE]) return undefined
    return `the token in secret ${namespace}/${secret} for service account ${namespace}/${account} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token`
  }
  const check = async (token: string, audiences: readonly string[]): Promise<TokenAnswer> => {
    const claims = await verifier.claims(token)
    if ('error' in claims) return claims
    const meant = serverAudiences.filter(audience => audiences.includes(audience))
    if (meant.length === 0)
      return { error: `token audiences ${JSON.stringify(serverAudiences)} is invalid for the target audiences ${JSON.stringify(audiences)}` }
    const error = await faultOf(token, claims)
    if (error !== undefined) return { error }
    const { namespace, account, uid } = claims
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
    return { user: { name: serviceAccountName(namespace, account), uid, groups }, audiences: meant }
  }
  return (token, audiences) => (verifier.has(token) || issuerOf(token) === LEGACY_ISSUER ? check(token, audiences) : undefined)
}
