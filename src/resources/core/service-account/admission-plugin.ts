import { setTimeout as sleep } from 'node:timers/promises'
import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import { asKind } from '../../../catalog/define.ts'
import { quote } from '../../../lib/go-quote.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { PODS } from '../../kinds.ts'
import { MIRROR_POD } from '../pod-spec/annotations.ts'
import type { Pod, ServiceAccount } from '../v1.types.ts'

/** Undefined where there is no account of the name. */
export type GetServiceAccount = (namespace: string, name: string) => Promise<ServiceAccount | undefined>

/** The account of pods that name none. A controller makes it in every namespace. */
const DEFAULT = 'default'
/** How often the account `default` is looked up until it is there: upstream waits 0.9 to 1.8 s in all. */
const ATTEMPTS = 20
const INTERVAL_MS = 75

/** The account that the pod names. Waits for `default`, which may be made a moment after its namespace. Throws 403 where there is none. */
async function accountOf(request: AdmissionRequest, { spec }: Pod, getAccount: GetServiceAccount, intervalMs: number): Promise<ServiceAccount> {
  const { namespace, ctx } = request
  const name = spec.serviceAccountName ?? ''
  for (let left = name === DEFAULT ? ATTEMPTS : 1; left > 0; left--) {
    const found = await getAccount(namespace, name)
    if (found) return found
    if (left > 1) await sleep(intervalMs, undefined, { signal: ctx.signal }).catch(() => ctx.signal.throwIfAborted())
  }
  throw refuse(request, `error looking up service account ${namespace}/${name}: serviceaccount ${quote(name)} not found`)
}

/** Mirror pods show what runs on a node already: nothing of them is changed. */
const isMirror = ({ metadata }: Pod): boolean => metadata.annotations?.[MIRROR_POD] !== undefined

/**
 * ServiceAccount: a pod that is created has an account, which exists, and pulls images with the account's secrets where it names none. kube-apiserver's plugin also mounts the account's token and keeps pods to the
 * secrets of accounts with the annotation `kubernetes.io/enforce-mountable-secrets`; this one does not.
 * `getAccount`: absent where nobody makes accounts; then none is looked up.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#serviceaccount
 */
export const serviceAccountAdmission = (getAccount: GetServiceAccount | undefined, intervalMs = INTERVAL_MS): AdmissionPlugin => ({
  name: 'ServiceAccount',
  handles: request => request.operation === 'CREATE' && isAbout(request, 'pods'),
  mutate: async request => {
    const { object } = request
    if (!object) return object
    const pod = asKind(PODS, object)
    if (isMirror(pod)) return object
    const { spec } = pod
    spec.serviceAccountName ||= DEFAULT
    // The older name of the field always has the same value.
    spec.serviceAccount = spec.serviceAccountName
    const { imagePullSecrets = [] } = (getAccount && (await accountOf(request, pod, getAccount, intervalMs))) ?? {}
    if (!spec.imagePullSecrets?.length && imagePullSecrets.length > 0) spec.imagePullSecrets = imagePullSecrets.map(({ name }) => (name ? { name } : {}))
    return object
  },
  validate: async request => {
    if (!request.object) return
    const pod = asKind(PODS, request.object)
    const { serviceAccountName = '' } = pod.spec
    if (isMirror(pod)) {
      if (serviceAccountName !== '') throw refuse(request, 'a mirror pod may not reference service accounts')
      return
    }
    if (serviceAccountName === '') throw refuse(request, `no service account specified for pod ${request.namespace}/${pod.metadata.name ?? ''}`)
    if (getAccount) await accountOf(request, pod, getAccount, intervalMs)
  },
})
