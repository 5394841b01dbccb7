import type { KubeObject } from '../../../meta/object.ts'
import type { ApiStruct } from '../checks.ts'
import { MIRROR_POD } from '../pod-spec/annotations.ts'

/**
 * What default admission plugins of kube-apiserver do to a pod that is created. They come before the strategy's `prepare`. The plugins call them.
 */

const NOT_READY = 'node.kubernetes.io/not-ready'
const UNREACHABLE = 'node.kubernetes.io/unreachable'

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

/** Plugin ServiceAccount: every pod has an account. The plugin also checks that it exists. Mirror pods are left alone. */
export function setServiceAccount(pod: KubeObject): void {
  if (pod.metadata.annotations?.[MIRROR_POD] !== undefined) return
  pod.spec.serviceAccountName ||= 'default'
  pod.spec.serviceAccount = pod.spec.serviceAccountName
}
