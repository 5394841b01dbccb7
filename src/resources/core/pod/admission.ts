import type { KubeObject } from '../../../meta/object.ts'
import type { ApiStruct } from '../checks.ts'
import { MIRROR_POD } from '../pod-spec/annotations.ts'
import { containersAndInit } from '../pod-spec/visit.ts'

/**
 * What default admission plugins of kube-apiserver do to a pod that is created. They come before the strategy's `prepare`. Nothing in this folder calls them.
 */

const NOT_READY = 'node.kubernetes.io/not-ready'
const UNREACHABLE = 'node.kubernetes.io/unreachable'
const MEMORY_PRESSURE = 'node.kubernetes.io/memory-pressure'

/** How long a pod stays on a node that is gone, where it does not say. */
export interface TolerationSeconds {
  readonly notReady: number
  readonly unreachable: number
}

/** Plugin DefaultTolerationSeconds. Updates get them, too. */
export function addDefaultTolerations(pod: KubeObject, seconds: TolerationSeconds): void {
  const tolerations: ApiStruct[] = pod.spec.tolerations ?? []
  const tolerates = (key: string): boolean => tolerations.some(other => (other.key === key || !other.key) && (other.effect === 'NoExecute' || !other.effect))
  const added = [
    { key: NOT_READY, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds.notReady },
    { key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds.unreachable },
  ].filter(({ key }) => !tolerates(key))
  if (added.length > 0) pod.spec.tolerations = [...tolerations, ...added]
}

/** Plugin TaintNodesByCondition's counterpart for pods: one that is not BestEffort tolerates memory pressure. `qosClass`: that of the pod. */
export function tolerateMemoryPressure(pod: KubeObject, qosClass: string): void {
  const tolerations: ApiStruct[] = pod.spec.tolerations ?? []
  if (qosClass === 'BestEffort' || tolerations.some(other => other.key === MEMORY_PRESSURE)) return
  pod.spec.tolerations = [...tolerations, { key: MEMORY_PRESSURE, operator: 'Exists', effect: 'NoSchedule' }]
}

const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Plugin ServiceAccount: every pod has an account. The plugin also checks that it exists. Mirror pods are left alone. */
export function setServiceAccount(pod: KubeObject): void {
  if (pod.metadata.annotations?.[MIRROR_POD] !== undefined) return
  pod.spec.serviceAccountName ||= 'default'
  pod.spec.serviceAccount = pod.spec.serviceAccountName
}

/** The same plugin's other half: mounts a token. `suffix`: five random letters or digits that make the name of the volume; `automount`: what the account says. */
export function mountServiceAccountToken(pod: KubeObject, suffix: string, automount: boolean): void {
  const { spec } = pod
  if (!(spec.automountServiceAccountToken ?? automount)) return
  const name = `kube-api-access-${suffix}`
  let used = false
  for (const container of containersAndInit(spec)) {
    const mounts: ApiStruct[] = container.volumeMounts ?? []
    if (mounts.some(mount => mount.mountPath === TOKEN_PATH)) continue
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath: TOKEN_PATH }]
    used = true
  }
  if (used) spec.volumes = [...(spec.volumes ?? []), { name, projected: { sources: TOKEN_SOURCES.map(source => structuredClone(source)), defaultMode: 0o644 } }]
}

const TOKEN_SOURCES: readonly ApiStruct[] = [
  { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
]
