import type { Pod, PodCondition } from '../../../api/core/v1.types.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { timeMillis } from '../../../meta/time.ts'
import { disruptionTarget, isPodTerminal, isPodTerminating } from '../../shared/pods.ts'

/** Number of pods that have ended that are kept, as in kube-controller-manager by default. */
export const TERMINATED_THRESHOLD = 12_500

/** Selects the pods that have ended beyond the number that is kept: evicted ones first, then the oldest. */
export function excessTerminated(pods: readonly Pod[], threshold: number): Pod[] {
  const ended = pods.filter(isPodTerminal)
  return ended.length <= threshold ? [] : ended.toSorted(compareEnded).slice(0, ended.length - threshold)
}

/** Orders pods that have ended by the order of their deletion. */
export const compareEnded = (a: Pod, b: Pod): number =>
  Number(isEvicted(b)) - Number(isEvicted(a)) ||
  (timeMillis(a.metadata.creationTimestamp) ?? 0) - (timeMillis(b.metadata.creationTimestamp) ?? 0) ||
  compareText(a.metadata.name ?? '', b.metadata.name ?? '')

const isEvicted = ({ status: { phase, reason } }: Pod): boolean => phase === 'Failed' && reason === 'Evicted'

/** Whether a pod is being deleted although it was never bound to a node, so that no kubelet ends it. */
export const isUnscheduledTerminating = (pod: Pod): boolean => isPodTerminating(pod) && (pod.spec.nodeName ?? '') === ''

/** Condition of a pod whose node is gone. */
export const nodeGoneCondition = (now: number): PodCondition => disruptionTarget('DeletionByPodGC', 'PodGC: node no longer exists', now)
