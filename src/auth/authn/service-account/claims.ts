import type { User } from '../../../meta/context.ts'
import { isDns1123Label, isDns1123Subdomain } from '../../../meta/names.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../meta/object.ts'

/** An object that a token names. */
export interface Reference {
  readonly name: string
  readonly uid: string
}

/**
 * What a token of a service account says, members in the order in which they are written: the registered claims of RFC 7519 and, under `kubernetes.io`, whose it is and what it is
 * bound to (https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens). Times in seconds since the epoch.
 */
export interface ServiceAccountClaims {
  readonly aud: readonly string[]
  readonly exp: number
  readonly iat: number
  readonly iss: string
  /** Absent from tokens of releases before 1.30. */
  readonly jti?: string
  readonly 'kubernetes.io': {
    readonly namespace: string
    /** Without a uid where the node of a pod is not there. */
    readonly node?: Pick<Reference, 'name'> & Partial<Reference>
    readonly pod?: Reference
    readonly secret?: Reference
    readonly serviceaccount: Reference
    readonly warnafter?: number
  }
  readonly nbf: number
  readonly sub: string
}

/** The user that a service account is. */
export const serviceAccountName = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`

/** The namespace and name of the service account that a user is; undefined of any other user. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace = '', name = ''] = /^system:serviceaccount:([^:]*):([^:]*)$/.exec(user) ?? []
  const isAccount = namespace !== '' && name !== '' && isDns1123Label(namespace).length === 0 && isDns1123Subdomain(name).length === 0
  return isAccount ? { namespace, name } : undefined
}

const EXTRA = 'authentication.kubernetes.io'

/** Who shows the token. */
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

/** Undefined for what is no object. A name or a uid of the wrong type is empty, which no object has. */
function referenceIn(value: Json | undefined): Reference | undefined {
  if (!isJsonObject(value)) return undefined
  const { name, uid } = value
  return { name: typeof name === 'string' ? name : '', uid: typeof uid === 'string' ? uid : '' }
}

/** The numbers of these claims, 0 for one that is absent; undefined where one is no number. */
function timesIn(claims: JsonObject): Pick<ServiceAccountClaims, 'exp' | 'nbf' | 'iat'> | undefined {
  const { exp = 0, nbf = 0, iat = 0 } = claims
  return typeof exp === 'number' && typeof nbf === 'number' && typeof iat === 'number' ? { exp, nbf, iat } : undefined
}

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/**
 * Undefined for a payload that is none of a service account's token. Claims of the wrong type are none at all. A token without `exp` counts as one that ended with the epoch.
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
