import type { User } from '../../../meta/context.ts'

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
  readonly jti: string
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

const isReference = (value: unknown): boolean => value === undefined || (typeof value === 'object' && value !== null)

/** Undefined for a payload that is none of a service account's token. Claims of the wrong type are none at all. */
export function readClaims(payload: unknown): ServiceAccountClaims | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined
  const claims = payload as Record<string, unknown>
  const own = (claims['kubernetes.io'] ?? {}) as Record<string, unknown>
  const reference = own.serviceaccount as Record<string, unknown> | undefined
  if (typeof own.namespace !== 'string' || typeof reference?.name !== 'string' || typeof reference.uid !== 'string') return undefined
  if (![own.pod, own.secret, own.node].every(isReference)) return undefined
  const audiences = typeof claims.aud === 'string' ? [claims.aud] : Array.isArray(claims.aud) ? claims.aud.filter(aud => typeof aud === 'string') : []
  for (const time of ['exp', 'nbf', 'iat']) if (claims[time] !== undefined && typeof claims[time] !== 'number') return undefined
  return { ...(claims as unknown as ServiceAccountClaims), aud: audiences }
}
