import { setTimeout as sleep } from 'node:timers/promises'
import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import type { Pod, ServiceAccount } from '../../../api/core/v1.types.ts'
import { asKind } from '../../../catalog/define.ts'
import { type Awaitable, after, use } from '../../../lib/awaitable.ts'
import { quote } from '../../../lib/go-quote.ts'
import { failure } from '../../../meta/status.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { PODS } from '../../kinds.ts'
import { MIRROR_POD } from '../pod-spec/annotations.ts'
import { forbiddenEphemeralSecret, forbiddenSecret, limitsSecrets, projectsToken, refersToSecrets } from './secret-references.ts'
import { mountToken, wantsToken } from './token-volume.ts'

/** Reads a service account. Undefined if it does not exist. */
export type GetServiceAccount = (namespace: string, name: string) => Awaitable<ServiceAccount | undefined>

/** Service account of pods that name none. A controller creates it in every namespace. */
const DEFAULT = 'default'
/**
 * Attempts to look up the account `default`, and the interval between them in milliseconds. Upstream waits 0.9 to 1.8 s
 * in all.
 */
const ATTEMPTS = 20
const INTERVAL_MS = 75

/**
 * Returns the account of the pod. Waits for `default`, which may be created shortly after its namespace. Throws 403 if
 * it does not exist.
 */
function accountOf(request: AdmissionRequest, { spec }: Pod, options: ServiceAccountOptions): Awaitable<ServiceAccount> {
  const name = spec.serviceAccountName ?? ''
  return after(options.getAccount(request.namespace, name), found => found ?? awaitAccount(request, name, options))
}

/** Looks the account up again if it is `default`. */
async function awaitAccount(
  request: AdmissionRequest,
  name: string,
  { getAccount, intervalMs = INTERVAL_MS }: ServiceAccountOptions,
): Promise<ServiceAccount> {
  const { namespace, ctx } = request
  for (let attempt = 2; name === DEFAULT && attempt <= ATTEMPTS; attempt++) {
    await sleep(intervalMs, undefined, { signal: ctx.signal }).catch(() => ctx.signal.throwIfAborted())
    const found = await getAccount(namespace, name)
    if (found) return found
  }
  throw refuse(request, `error looking up service account ${namespace}/${name}: serviceaccount ${quote(name)} not found`)
}

/** Mirror pods represent pods that already run on a node, so they are not changed. */
const isMirror = ({ metadata }: Pod): boolean => metadata.annotations?.[MIRROR_POD] !== undefined

/** Options of the plugin. */
export interface ServiceAccountOptions {
  readonly getAccount: GetServiceAccount
  /** Returns five characters for the name of a volume. */
  readonly nameSuffix: () => string
  readonly intervalMs?: number
}

/**
 * ServiceAccount checks that the account of a new pod exists, mounts a token of it, and adds its image pull secrets if
 * the pod has none. Pods of accounts with the annotation `kubernetes.io/enforce-mountable-secrets` may use only the
 * secrets that the account lists.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#serviceaccount
 * @param options undefined if no controller creates accounts: then none is looked up, and no token is mounted.
 */
export const serviceAccountAdmission = (options: ServiceAccountOptions | undefined): AdmissionPlugin => ({
  name: 'ServiceAccount',
  handles: request =>
    (request.operation === 'CREATE' && isAbout(request, 'pods')) ||
    (request.operation === 'UPDATE' && isAbout(request, 'pods', 'ephemeralcontainers')),
  mutate: request => {
    const { object } = request
    if (!object || request.operation !== 'CREATE') return undefined
    const pod = asKind(PODS, object)
    if (isMirror(pod)) return checkMirror(request, pod)
    const { spec } = pod
    spec.serviceAccountName ||= DEFAULT
    // The former name of the field always has the same value.
    spec.serviceAccount = spec.serviceAccountName
    if (!options) return undefined
    return use(accountOf(request, pod, options), account => {
      if (wantsToken(account, spec)) mountToken(spec, options.nameSuffix)
      const { imagePullSecrets = [] } = account
      if (!spec.imagePullSecrets?.length && imagePullSecrets.length > 0)
        spec.imagePullSecrets = imagePullSecrets.map(({ name }) => (name ? { name } : {}))
      // Upstream checks pods in both phases, and therefore before validation.
      checkSecrets(request, pod, account)
    })
  },
  validate: request => {
    if (!request.object) return undefined
    const pod = asKind(PODS, request.object)
    const isCreated = request.operation === 'CREATE'
    if (isCreated && isMirror(pod)) return checkMirror(request, pod)
    const { serviceAccountName = '' } = pod.spec
    if (serviceAccountName === '')
      throw refuse(request, `no service account specified for pod ${request.namespace}/${pod.metadata.name ?? ''}`)
    if (!options) return undefined
    return use(accountOf(request, pod, options), account => checkSecrets(request, pod, account))
  },
})

/** Checks that the pod uses only secrets that its account lists, if the account requires that. */
function checkSecrets(request: AdmissionRequest, { spec }: Pod, account: ServiceAccount): void {
  if (!limitsSecrets(account)) return
  if (request.operation === 'CREATE') {
    const fault = forbiddenSecret(account, spec)
    if (fault !== undefined) throw refuse(request, fault)
    return
  }
  const fault = forbiddenEphemeralSecret(account, spec)
  // Upstream's error is no Status and becomes a 500.
  if (fault !== undefined) throw failure(500, '', fault)
}

/** Checks that a mirror pod refers to neither a service account nor secrets: its containers are already running. */
function checkMirror(request: AdmissionRequest, { spec }: Pod): undefined {
  if (spec.serviceAccountName) throw refuse(request, 'a mirror pod may not reference service accounts')
  if (refersToSecrets(spec)) throw refuse(request, 'a mirror pod may not reference secrets')
  if (projectsToken(spec)) throw refuse(request, 'a mirror pod may not use ServiceAccountToken volume projections')
}
