import type { Pod } from '../../../api/core/v1.types.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { isPodAvailable, isPodReady, isPodTerminating } from '../../shared/pods.ts'

/** Whether a pod has been created: a pod that is only planned has no phase. */
export const isCreated = ({ status: { phase } }: Pod): boolean => (phase ?? '') !== ''

export const isRunningAndReady = (pod: Pod): boolean => pod.status.phase === 'Running' && isPodReady(pod)

/** Rules of a set and a release by which its pods are judged. */
export interface HealthRules {
  readonly minReadySeconds: number
  readonly release: Release
  /** Milliseconds since the epoch. */
  readonly now: number
}

export const isAvailable = (pod: Pod, { minReadySeconds, now }: HealthRules): boolean => isPodAvailable(pod, minReadySeconds, now)

/** Whether a pod does not count as up during scaling and updates. From 1.34 on a ready pod must also be available. */
export const isDown = (pod: Pod, rules: HealthRules): boolean =>
  isPodTerminating(pod) || (isSince(rules.release, '1.34') ? !isAvailable(pod, rules) : !isRunningAndReady(pod))
