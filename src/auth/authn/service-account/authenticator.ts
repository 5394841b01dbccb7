import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose'
import { quote } from '../../../meta/field-error.ts'
import type { ObjectMeta } from '../../../meta/object.ts'
import type { TokenAnswer, TokenAuthenticator } from '../token.ts'
import { readClaims, type ServiceAccountClaims, userOfClaims } from './claims.ts'
import type { VerificationKey } from './keys.ts'

/** The resources that tokens name. */
export type TokenResource = 'serviceaccounts' | 'pods' | 'secrets' | 'nodes'

export interface ServiceAccountTokenOptions {
  /** Whose tokens are looked at: the first signs here, the others did. */
  readonly issuers: readonly string[]
  readonly keys: () => Promise<readonly VerificationKey[]>
  /** Metadata of an object as it is now. Throws a NotFound where there is none. */
  readonly lookUp: (resource: TokenResource, namespace: string, name: string) => Promise<ObjectMeta>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Clocks of two machines may differ by this much. */
const LEEWAY_SECONDS = 60
/** Tokens whose signature was found good; the oldest is forgotten first. */
const MOST_VERIFIED = 2_000

const invalidated = 'service account token has been invalidated'

/**
 * Tokens that this server has signed for service accounts. A signature is checked once; times, and that the account and what the token is bound to are still there and the same, with
 * each request (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#service-account-tokens).
 */
export function serviceAccountTokens(options: ServiceAccountTokenOptions): TokenAuthenticator {
  const verified = new Map<string, ServiceAccountClaims>()
  const check = async (token: string, audiences: readonly string[]): Promise<TokenAnswer> => {
    let claims = verified.get(token)
    if (claims === undefined) {
      const found = await verify(token, options)
      if (typeof found === 'string') return { error: found }
      claims = found
      if (verified.size >= MOST_VERIFIED) verified.delete(verified.keys().next().value as string)
      verified.set(token, claims)
    }
    const meant = claims.aud.filter(audience => audiences.includes(audience))
    if (meant.length === 0) return { error: `token audiences ${list(claims.aud)} is invalid for the target audiences ${list(audiences)}` }
    const fault = faultOfTime(claims, options.now() / 1000) ?? (await faultOfObjects(claims, options))
    if (fault === undefined) return { user: userOfClaims(claims), audiences: meant }
    verified.delete(token)
    return { error: fault }
  }
  return (token, audiences) => (verified.has(token) || options.issuers.includes(issuerOf(token)) ? check(token, audiences) : undefined)
}

const list = (texts: readonly string[]): string => `[${texts.map(quote).join(' ')}]`

/** Claim `iss`, unchecked; empty for what is no JWT. */
function issuerOf(token: string): string {
  if (token.split('.', 4).length !== 3) return ''
  try {
    return decodeJwt(token).iss ?? ''
  } catch {
    return ''
  }
}

/** The claims, or what is wrong with the signature. */
async function verify(token: string, { keys }: ServiceAccountTokenOptions): Promise<ServiceAccountClaims | string> {
  let header: ReturnType<typeof decodeProtectedHeader>
  try {
    header = decodeProtectedHeader(token)
  } catch {
    return 'invalid bearer token'
  }
  const known = await keys()
  const candidates = header.kid === undefined ? known : known.filter(({ id }) => id === header.kid)
  if (candidates.length === 0) return 'invalid signature, no keys found'
  for (const { publicKey, algorithm } of candidates) {
    try {
      const { payload } = await compactVerify(token, publicKey, { algorithms: [algorithm] })
      return readClaims(JSON.parse(new TextDecoder().decode(payload))) ?? 'service account token claims could not be validated'
    } catch {
      // The next key.
    }
  }
  return 'go-jose/go-jose: error in cryptographic primitive'
}

function faultOfTime({ exp, nbf, iat }: ServiceAccountClaims, now: number): string | undefined {
  if (exp === undefined || now - LEEWAY_SECONDS > exp) return 'service account token has expired'
  if (now + LEEWAY_SECONDS < nbf) return 'service account token is not valid yet'
  if (now + LEEWAY_SECONDS < iat) return 'service account token is issued in the future'
  return undefined
}

async function faultOfObjects(claims: ServiceAccountClaims, options: ServiceAccountTokenOptions): Promise<string | undefined> {
  const { namespace, serviceaccount, secret, pod, node } = claims['kubernetes.io']
  const deletedBefore = options.now() - LEEWAY_SECONDS * 1000
  const isGone = ({ deletionTimestamp }: ObjectMeta): boolean => deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < deletedBefore
  let account: ObjectMeta
  try {
    account = await options.lookUp('serviceaccounts', namespace, serviceaccount.name)
  } catch (error) {
    return (error as Error).message
  }
  if (account.uid !== serviceaccount.uid) return `service account UID (${account.uid}) does not match claim (${serviceaccount.uid})`
  if (isGone(account)) return `service account ${namespace}/${serviceaccount.name} has been deleted`
  const bound = [
    { kind: 'secret', resource: 'secrets', reference: secret, namespace },
    { kind: 'pod', resource: 'pods', reference: pod, namespace },
    // A token of a pod tells its node, and does not end with it.
    { kind: 'node', resource: 'nodes', reference: pod ? undefined : node, namespace: '' },
  ] as const
  for (const { kind, resource, reference, namespace: where } of bound) {
    if (!reference) continue
    const found = await options.lookUp(resource, where, reference.name).catch(() => undefined)
    if (found === undefined) return invalidated
    if (found.uid !== reference.uid) return `${kind} UID (${found.uid}) does not match service account ${kind} ref claim (${reference.uid})`
    if (isGone(found)) return invalidated
  }
  return undefined
}
