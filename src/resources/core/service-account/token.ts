import { randomUUID } from 'node:crypto'
import type { BoundObjectReference, TokenRequest } from '../../../api/authentication/v1.types.ts'
import type { ServiceAccount } from '../../../api/core/v1.types.ts'
import type { TypedObject } from '../../../api/meta/object.ts'
import type { ClaimReference, ServiceAccountClaims } from '../../../auth/authn/service-account/claims.ts'
import { serviceAccountName } from '../../../auth/authn/service-account/claims.ts'
import type { TokenIssuer } from '../../../auth/authn/service-account/issuer.ts'
import { defineSubresource, getKind } from '../../../catalog/define.ts'
import type { Subresource, VirtualCall } from '../../../catalog/definition.ts'
import type { ResourceAccess } from '../../../catalog/resource-access.ts'
import { types } from '../../../catalog/types.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { invariant } from '../../../lib/invariant.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { parseApiVersion } from '../../../meta/gvk.ts'
import { badRequestError, conflictError, internalServerError, invalidError, isStatusError } from '../../../meta/status.ts'
import { formatTime } from '../../../meta/time.ts'
import { NODES, PODS, SECRETS, SERVICE_ACCOUNTS } from '../../kinds.ts'

/** Kind in errors and of the body. */
const GROUP_KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' }
/** Lifetime if the request has none. */
const DEFAULT_SECONDS = 3600
/** Inclusive bound of requested lifetimes. */
const LEAST_SECONDS = 600
/** Inclusive bound of requested lifetimes. The issuer may shorten them. */
const MOST_SECONDS = 2 ** 32
/**
 * Lifetime that kubelets request. If the issuer has `extendExpiration`, such a token of a pod is valid for a year, with
 * a claim that says when to renew it.
 */
const KUBELET_SECONDS = 3607

/** References for the claims of a token. */
interface Bound {
  /** Set if the token is bound to a pod. */
  readonly pod?: ClaimReference
  /** Set if the token is bound to a secret. */
  readonly secret?: ClaimReference
  /** Set for a token of a node, or of a pod that is assigned to one. */
  readonly node?: ClaimReference
}

const referenceTo = ({ metadata }: TypedObject): ClaimReference => ({ name: metadata.name ?? '', uid: metadata.uid ?? '' })

/** Throws 422 if there are errors. */
function throwInvalid(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidError(GROUP_KIND, name, errors)
}

/** Checks the bounds. A bigint is a number that exceeds the safe integers. */
function validateExpiration(seconds: number | bigint): FieldError[] {
  const path = fieldPath('spec', 'expirationSeconds')
  if (seconds < LEAST_SECONDS) return [invalid(path, seconds, 'may not specify a duration less than 10 minutes')]
  if (seconds > MOST_SECONDS) return [invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')]
  return []
}

/** Returns a reference to the node of a pod. If the node does not exist, the reference has no UID. */
async function nodeReference(api: ResourceAccess, name: string): Promise<ClaimReference> {
  try {
    return referenceTo(await getKind(api, NODES, '', name))
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return { name, uid: '' }
    throw error
  }
}

/**
 * Returns the object that the token is bound to: a pod of the account, a node or a secret. Throws 404 if it does not
 * exist, 409 if it has another UID than the reference, and 400 for another kind or a pod of another account.
 */
async function boundObject(
  { api, namespace, name }: VirtualCall<TokenRequest>,
  features: Features,
  reference: BoundObjectReference | null,
): Promise<Bound> {
  if (!reference) return {}
  const { kind = '', apiVersion = '', name: boundName = '', uid: wantedUid = '' } = reference
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' }
  const check = (object: TypedObject): ClaimReference => {
    const found = referenceTo(object)
    if (wantedUid !== '' && wantedUid !== found.uid)
      throw conflictError(
        { group, resource: kind },
        boundName,
        `the UID in the bound object reference (${wantedUid}) does not match the UID in record. The object might have been deleted and then recreated`,
      )
    return found
  }
  if (group === '' && kind === 'Pod') {
    const pod = await getKind(api, PODS, namespace, boundName)
    if (pod.spec.serviceAccountName !== name)
      throw badRequestError(
        `cannot bind token for serviceaccount ${JSON.stringify(name)} to pod running with different serviceaccount name.`,
      )
    return {
      pod: check(pod),
      ...(pod.spec.nodeName && features.enabled('ServiceAccountTokenPodNodeInfo') && { node: await nodeReference(api, pod.spec.nodeName) }),
    }
  }
  if (group === '' && kind === 'Node' && !features.enabled('ServiceAccountTokenNodeBinding'))
    throw badRequestError('cannot bind token to a Node object as the "ServiceAccountTokenNodeBinding" feature-gate is disabled')
  if (group === '' && kind === 'Node') return { node: check(await getKind(api, NODES, '', boundName)) }
  if (group === '' && kind === 'Secret') return { secret: check(await getKind(api, SECRETS, namespace, boundName)) }
  throw badRequestError(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`)
}

/** Claims of a token besides its subject. `now` is in seconds since the epoch. */
interface TokenGrant {
  /** References for the claims. */
  readonly bound: Bound
  /** Audiences of the request, or else those of the server. */
  readonly audiences: readonly string[]
  readonly now: number
  /** Lifetime, extended for kubelets if the issuer does so. */
  readonly lifetime: Lifetime
  /** Whether the token has an ID. */
  readonly hasId: boolean
}

/**
 * Times are in seconds since the epoch. A node that does not exist has no UID in the claims. `jti` is unique for each
 * token.
 */
function claimsOf(
  issuer: TokenIssuer,
  account: ServiceAccount,
  { bound: { pod, secret, node }, audiences, now, lifetime, hasId }: TokenGrant,
): ServiceAccountClaims {
  const { namespace = '', name = '' } = account.metadata
  return {
    aud: audiences,
    exp: now + lifetime.seconds,
    iat: now,
    iss: issuer.name,
    ...(hasId && { jti: randomUUID() }),
    'kubernetes.io': {
      namespace,
      ...(node && { node: node.uid === '' ? { name: node.name } : node }),
      ...(pod && { pod }),
      ...(secret && { secret }),
      serviceaccount: referenceTo(account),
      ...(lifetime.warnAfter !== undefined && { warnafter: now + lifetime.warnAfter }),
    },
    nbf: now,
    sub: serviceAccountName(namespace, name),
  }
}

/** Lifetime of a token, in seconds. */
interface Lifetime {
  /** Seconds between issue and expiration. */
  readonly seconds: number
  /** Seconds after which the holder should have renewed it. */
  readonly warnAfter?: number
}

/**
 * Returns the lifetime. It is extended only for a token that is bound to a pod, has the server's audiences, and is
 * requested with exactly the kubelet's number of seconds.
 */
function lifetimeOf(issuer: TokenIssuer, seconds: number, bound: Bound, audiences: readonly string[]): Lifetime {
  const forServer = audiences.every(audience => issuer.serverAudiences.includes(audience))
  const extended = issuer.extendExpiration && bound.pod !== undefined && seconds === KUBELET_SECONDS && forServer
  return extended ? { seconds: issuer.maxExtendedSeconds, warnAfter: seconds } : { seconds }
}

/**
 * Checks the UID of the account in the request. Throws 409 if the account was recreated with another UID. Before 1.34
 * it was not checked.
 */
function checkUid(
  uid: string | undefined,
  { metadata }: ServiceAccount,
  features: Features,
  { ctx, name }: VirtualCall<TokenRequest>,
): void {
  if (!uid || uid === metadata.uid || !isSince(features.release, '1.34')) return
  const reason = `the UID in the token request (${uid}) does not match the UID of the service account (${metadata.uid})`
  if (features.enabled('TokenRequestServiceAccountUIDValidation'))
    throw conflictError({ group: GROUP_KIND.group, resource: GROUP_KIND.kind }, name, reason)
  ctx.warn(`${reason} but TokenRequestServiceAccountUIDValidation is not enabled. In the future, this will return a conflict error`)
}

/**
 * Issues a token. Errors come in this order: another name in the body (422), no such account (404), the expiration
 * (422), the bound object. The status shows the requested expiration, limited by maxExpirationSeconds, even if the
 * token itself lives longer.
 */
async function issueToken(issuer: TokenIssuer, features: Features, call: VirtualCall<TokenRequest>): Promise<TokenRequest> {
  const { ctx, api, namespace, name } = call
  const request = call.body
  invariant(request, 'a request for a token has a body')
  const { metadata, spec } = request
  if (metadata.name && metadata.name !== name)
    throwInvalid(name, [invalid(fieldPath('metadata', 'name'), metadata.name, 'must match the service account name if specified')])
  const account = await getKind(api, SERVICE_ACCOUNTS, namespace, name)
  const { uid } = metadata
  checkUid(uid, account, features, call)
  const audiences = spec.audiences?.length ? spec.audiences : [...issuer.serverAudiences]
  const asked = spec.expirationSeconds ?? DEFAULT_SECONDS
  throwInvalid('', validateExpiration(asked))
  const bound = await boundObject(call, features, spec.boundObjectRef)
  let seconds = Number(asked)
  const { maxExpirationSeconds } = issuer
  if (maxExpirationSeconds > 0 && seconds > maxExpirationSeconds) {
    ctx.warn(`requested expiration of ${seconds} seconds shortened to ${maxExpirationSeconds} seconds`)
    seconds = maxExpirationSeconds
  }
  const now = Math.floor(ctx.receivedAt / 1000)
  const lifetime = lifetimeOf(issuer, seconds, bound, audiences)
  const claims = claimsOf(issuer, account, { bound, audiences, now, lifetime, hasId: features.enabled('ServiceAccountTokenJTI') })
  if (claims.jti !== undefined) ctx.audit?.annotate('authentication.kubernetes.io/issued-credential-id', `JTI=${claims.jti}`)
  const token = await issuer.sign(claims).catch((error: unknown) => {
    throw internalServerError(`failed to generate token: ${errorMessage(error)}`)
  })
  return {
    ...request,
    metadata: {
      ...metadata,
      ...(!uid && isSince(features.release, '1.34') && { uid: account.metadata.uid }),
      name,
      namespace,
      creationTimestamp: formatTime(ctx.receivedAt),
    },
    spec: { ...spec, audiences, expirationSeconds: seconds },
    status: { token, expirationTimestamp: formatTime((now + seconds) * 1000) },
  }
}

/**
 * Issues tokens of a service account:
 * https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/
 */
export const createTokenSubresource = (issuer: TokenIssuer, features: Features): Subresource<ServiceAccount> =>
  defineSubresource<ServiceAccount, TokenRequest>({
    verbs: ['create'],
    kind: { ...GROUP_KIND, version: 'v1', schema: types.type('authentication.TokenRequest') },
    virtual: { call: async call => ({ code: 201, object: await issueToken(issuer, features, call) }) },
  })
