import type { Pod, PodCondition } from '../../api/core/v1.types.ts'
import { timeMillis } from '../../meta/time.ts'

/** Returns a condition of a pod. */
export const podCondition = (pod: Pod, type: string): PodCondition | undefined => pod.status.conditions?.find(condition => condition.type === type)

export const isPodReady = (pod: Pod): boolean => podCondition(pod, 'Ready')?.status === 'True'

/** Whether all containers of a pod have ended, so that it never runs again. */
export const isPodTerminal = ({ status: { phase } }: Pod): boolean => phase === 'Succeeded' || phase === 'Failed'

export const isPodTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined

/** Whether a pod runs or may run: it has neither ended nor been deleted. */
export const isPodActive = (pod: Pod): boolean => !isPodTerminal(pod) && !isPodTerminating(pod)

/** Milliseconds since the epoch at which a pod became ready. Undefined if it is not ready. */
export function readySince(pod: Pod): number | undefined {
  const ready = podCondition(pod, 'Ready')
  return ready?.status === 'True' ? (timeMillis(ready.lastTransitionTime) ?? 0) : undefined
}

/** Whether a pod has been ready for at least `minReadySeconds`. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const since = readySince(pod)
  if (since === undefined) return false
  return minReadySeconds === 0 || (since > 0 && since + minReadySeconds * 1000 <= now)
}

/** Milliseconds until a ready pod becomes available. Undefined if it is available, or not ready. */
export function untilAvailable(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const since = readySince(pod)
  if (since === undefined || isPodAvailable(pod, minReadySeconds, now)) return undefined
  return since + minReadySeconds * 1000 - now
}

/** Largest number of restarts of a container of the pod. */
export const mostRestarts = ({ status }: Pod): number => Math.max(0, ...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount))
