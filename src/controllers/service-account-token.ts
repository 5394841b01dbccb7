import type { Secret, ServiceAccount } from '../api/core/v1.types.ts'
import type { TypedObject } from '../api/meta/object.ts'
import type { TokenIssuer } from '../auth/authn/service-account/issuer.ts'
import { legacyClaims } from '../auth/authn/service-account/legacy.ts'
import { updateKind } from '../catalog/define.ts'
import { errorMessage } from '../lib/error-message.ts'
import { isStatusError } from '../meta/status.ts'
import { SECRETS, SERVICE_ACCOUNTS } from '../resources/kinds.ts'
import type { Controller, ControllerEnvironment } from './controller.ts'
import { followFresh, WorkQueue } from './controller.ts'

const TOKEN_TYPE = 'kubernetes.io/service-account-token'
const ACCOUNT_NAME = 'kubernetes.io/service-account.name'
const ACCOUNT_UID = 'kubernetes.io/service-account.uid'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const secretKey = ({ metadata }: TypedObject): string => `${metadata.namespace}/${metadata.name}`

/** Key `namespace/name` of the account whose token the Secret holds. */
const accountOf = ({ metadata }: TypedObject): string => `${metadata.namespace}/${metadata.annotations?.[ACCOUNT_NAME] ?? ''}`

/** Missing or outdated data of the Secret, in base64. Empty if complete. */
export function missingData(secret: Secret, certificateAuthority: string): Record<string, string> {
  const { namespace, token, 'ca.crt': ca } = secret.data ?? {}
  return {
    ...(ca !== base64(certificateAuthority) && { 'ca.crt': base64(certificateAuthority) }),
    ...(!namespace && { namespace: base64(secret.metadata.namespace ?? '') }),
    ...(!token && { token: '' }),
  }
}

/** Whether the Secret is for an account, and not for an earlier one of the same name. */
export function isTokenOf({ metadata: { annotations } }: Secret, account: TypedObject): boolean {
  const uid = annotations?.[ACCOUNT_UID]
  return !uid || uid === account.metadata.uid
}

/**
 * Fills Secrets of type kubernetes.io/service-account-token with a token of their account, deletes those whose account
 * no longer exists, and removes Secrets that are gone from the lists of their accounts
 * (https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#token-controller). @param
 * certificateAuthority PEM certificate of this server's CA.
 */
export const serviceAccountTokenController =
  (issuer: TokenIssuer, certificateAuthority: string): Controller =>
  async (env, signal) => {
    const secrets = new Map<string, Secret>()
    /** Secrets that are gone, to which their accounts may still refer. */
    const gone = new Map<string, Secret>()
    const queue = new WorkQueue(
      4,
      signal,
      async key => {
        const secret = secrets.get(key)
        if (secret) return fillSecret(env, secret, issuer, certificateAuthority)
        const lost = gone.get(key)
        if (lost) await removeReference(env, lost)
        gone.delete(key)
      },
      (secret, error) => env.logger.debug(2, 'cannot create a service account token, retrying', { secret, error: errorMessage(error) }),
      env.queues?.meter('serviceaccount_tokens_secret'),
    )
    const remove = (key: string): void => {
      const secret = secrets.get(key)
      if (!secret) return
      secrets.delete(key)
      gone.set(key, secret)
      queue.add(key)
    }
    const followSecrets = followFresh(env, SECRETS, signal, () => {
      const before = new Set(secrets.keys())
      return ({ type, object }) => {
        if (!object) for (const key of before) remove(key)
        else if (object.type === TOKEN_TYPE) {
          const key = secretKey(object)
          before.delete(key)
          if (type === 'deleted') remove(key)
          else {
            secrets.set(key, object)
            gone.delete(key)
            queue.add(key)
          }
        }
      }
    })
    const followAccounts = followFresh(env, SERVICE_ACCOUNTS, signal, () => ({ type, object }) => {
      if (type !== 'deleted' || !object) return
      for (const [key, secret] of secrets) if (accountOf(secret) === secretKey(object)) queue.add(key)
    })
    await Promise.all([followSecrets, followAccounts])
  }

/** Writes token, CA and namespace to the Secret, or deletes it if its account does not exist. */
async function fillSecret(
  { access }: ControllerEnvironment,
  secret: Secret,
  issuer: TokenIssuer,
  certificateAuthority: string,
): Promise<void> {
  const { namespace = '', name = '', uid, annotations } = secret.metadata
  const account = await orAbsent(access.get(SERVICE_ACCOUNTS, namespace, annotations?.[ACCOUNT_NAME] ?? ''))
  if (!account || !isTokenOf(secret, account)) {
    await orAbsent(access.delete(SECRETS, namespace, name, uid === undefined ? {} : { uid }))
    return
  }
  const missing = missingData(secret, certificateAuthority)
  if (Object.keys(missing).length === 0) return
  const token = 'token' in missing ? base64(await issuer.sign(legacyClaims(account, secret))) : undefined
  const complete = (now: Secret): Secret | undefined => {
    // The Secret has changed. That event triggers another run.
    if (now.metadata.resourceVersion !== secret.metadata.resourceVersion) return undefined
    const marks = { ...now.metadata.annotations, [ACCOUNT_NAME]: account.metadata.name ?? '', [ACCOUNT_UID]: account.metadata.uid ?? '' }
    return {
      ...now,
      metadata: { ...now.metadata, annotations: marks },
      data: { ...now.data, ...missing, ...(token !== undefined && { token }) },
    }
  }
  await orAbsent(updateKind(access, SECRETS, { namespace, name }, complete))
}

/** Removes a Secret that is gone from the list of its account. */
async function removeReference({ access }: ControllerEnvironment, secret: Secret): Promise<void> {
  const { namespace = '', name, annotations } = secret.metadata
  const without = (account: ServiceAccount): ServiceAccount | undefined => {
    const { secrets: listed = [] } = account
    if (!isTokenOf(secret, account) || !listed.some(each => each.name === name)) return undefined
    return { ...account, secrets: listed.filter(each => each.name !== name) }
  }
  await orAbsent(updateKind(access, SERVICE_ACCOUNTS, { namespace, name: annotations?.[ACCOUNT_NAME] ?? '' }, without))
}

/** Resolves to undefined if the object was deleted or replaced. */
async function orAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isStatusError(error, 'NotFound') || isStatusError(error, 'Conflict')) return undefined
    throw error
  }
}
