import type { PodSpec, Toleration } from '../../../api/core/v1.types.ts'

/**
 * Changes to new pods by kube-apiserver's default admission plugins, which call these functions. They run before the
 * strategy's `prepare`.
 */

const NOT_READY = 'node.kubernetes.io/not-ready'
const UNREACHABLE = 'node.kubernetes.io/unreachable'

/** Time that a pod stays on a failed node if it has no toleration of its own, in seconds. */
export interface TolerationSeconds {
  readonly notReady: number
  readonly unreachable: number
}

/** Adds the tolerations of the plugin DefaultTolerationSeconds, on create and on update. */
export function addDefaultTolerations(spec: PodSpec, seconds: TolerationSeconds): void {
  const { tolerations = [] } = spec
  const tolerates = (key: string): boolean =>
    tolerations.some(other => (other.key === key || !other.key) && (other.effect === 'NoExecute' || !other.effect))
  const wanted: readonly [key: string, tolerationSeconds: number][] = [
    [NOT_READY, seconds.notReady],
    [UNREACHABLE, seconds.unreachable],
  ]
  const added = wanted
    .filter(([key]) => !tolerates(key))
    .map(([key, tolerationSeconds]): Toleration => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }))
  if (added.length > 0) spec.tolerations = [...tolerations, ...added]
}
