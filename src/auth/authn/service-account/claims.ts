import { isJsonObject, type Json, type JsonObject } from '../../../api/meta/object.ts'
import type { User } from '../../../meta/context.ts'
import { textIn } from '../../../meta/json-members.ts'
import { isDns1123Label, isDns1123Subdomain } from '../../../meta/names.ts'

/** An object that a token is bound to. */
export interface ClaimReference {
  readonly name: string
  /** UID at the time of issue. An object that was created again under the name does not match. */
  readonly uid: string
}

/**
 * Claims of a service account token, in the order in which they are encoded: the registered claims of RFC 7519 and,
 * under `kubernetes.io`, the account and bound objects
 * (https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens). Times
 * in seconds since the epoch.
 */
export interface ServiceAccountClaims {
  /** Audiences. A server accepts the token if one of them is its own. */
  readonly aud: readonly string[]
  /** Time from which on the token is invalid. */
  readonly exp: number
  /** Time of issue. */
  readonly iat: number
  /** Issuer, which determines the keys. */
  readonly iss: string
  /** Absent from tokens of releases before 1.30. */
  readonly jti?: string
  /** Private claims. `warnafter` is the time after which the holder should have renewed the token. */
  readonly 'kubernetes.io': {
    readonly namespace: string
    /** Without UID if the node of the pod did not exist. */
    readonly node?: Pick<ClaimReference, 'name'> & Partial<ClaimReference>
    readonly pod?: ClaimReference
    readonly secret?: ClaimReference
    readonly serviceaccount: ClaimReference
    readonly warnafter?: number
  }
  /** Time before which the token is invalid. */
  readonly nbf: number
  /** User name of the service account. */
  readonly sub: string
}

/** User name of a service account. */
export const serviceAccountName = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`

/** Namespace and name of a service account user. Undefined for other users. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace = '', name = ''] = /^system:serviceaccount:([^:]*):([^:]*)$/.exec(user) ?? []
  const isAccount = namespace !== '' && name !== '' && isDns1123Label(namespace).length === 0 && isDns1123Subdomain(name).length === 0
  return isAccount ? { namespace, name } : undefined
}

/** Prefix of the keys in a user's `extra`. */
const EXTRA = 'authentication.kubernetes.io'

/** User that a token authenticates. */
export function userOfClaims({ jti, 'kubernetes.io': { namespace, serviceaccount, pod, node } }: ServiceAccountClaims): User {
  const extra: Record<string, readonly string[]> = {
    ...(jti && { [`${EXTRA}/credential-id`]: [`JTI=${jti}`] }),
    ...(node && { [`${EXTRA}/node-name`]: [node.name], ...(node.uid && { [`${EXTRA}/node-uid`]: [node.uid] }) }),
    ...(pod && { [`${EXTRA}/pod-name`]: [pod.name], [`${EXTRA}/pod-uid`]: [pod.uid] }),
  }
  return {
    name: serviceAccountName(namespace, serviceaccount.name),
    uid: serviceaccount.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

/**
 * Parses a reference. Undefined if the value is not an object. A name or UID of the wrong type becomes empty, which
 * matches no object.
 */
function referenceIn(value: Json | undefined): ClaimReference | undefined {
  if (!isJsonObject(value)) return undefined
  const { name, uid } = value
  return { name: textIn(name), uid: textIn(uid) }
}

/** Parses the time claims. An absent claim is 0. Undefined if one is not a number. */
function timesIn(claims: JsonObject): Pick<ServiceAccountClaims, 'exp' | 'nbf' | 'iat'> | undefined {
  const { exp = 0, nbf = 0, iat = 0 } = claims
  return typeof exp === 'number' && typeof nbf === 'number' && typeof iat === 'number' ? { exp, nbf, iat } : undefined
}

/**
 * Parses the claims of a service account token. Undefined if the payload is not one. Malformed claims make it invalid.
 * A token without `exp` has expired.
 */
export function readClaims(payload: Json): ServiceAccountClaims | undefined {
  if (!isJsonObject(payload)) return undefined
  const own = payload['kubernetes.io']
  const times = timesIn(payload)
  if (!isJsonObject(own) || typeof own.namespace !== 'string' || !times) return undefined
  const [serviceaccount, pod, secret, node] = [own.serviceaccount, own.pod, own.secret, own.node].map(referenceIn)
  if (!serviceaccount?.name || !serviceaccount.uid) return undefined
  if ((own.pod !== undefined && !pod) || (own.secret !== undefined && !secret) || (own.node !== undefined && !node)) return undefined
  const { aud } = payload
  const { warnafter } = own
  const bound = { ...(pod && { pod }), ...(secret && { secret }), ...(node && { node }) }
  return {
    ...times,
    aud: typeof aud === 'string' ? [aud] : Array.isArray(aud) ? aud.filter(one => typeof one === 'string') : [],
    iss: textIn(payload.iss),
    jti: textIn(payload.jti),
    'kubernetes.io': { namespace: own.namespace, serviceaccount, ...bound, ...(typeof warnafter === 'number' && { warnafter }) },
    sub: textIn(payload.sub),
  }
}
