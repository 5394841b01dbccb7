import type { PodSpec, Toleration } from '../v1.types.ts'

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
export function addDefaultTolerations(spec: PodSpec, seconds: TolerationSeconds): void {
  const { tolerations = [] } = spec
  const tolerates = (key: string): boolean => tolerations.some(other => (other.key === key || !other.key) && (other.effect === 'NoExecute' || !other.effect))
  const wanted: readonly [key: string, tolerationSeconds: number][] = [
    [NOT_READY, seconds.notReady],
    [UNREACHABLE, seconds.unreachable],
  ]
  const added = wanted
    .filter(([key]) => !tolerates(key))
    .map(([key, tolerationSeconds]): Toleration => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }))
  if (added.length > 0) spec.tolerations = [...tolerations, ...added]
}
