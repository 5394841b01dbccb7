import type { HPAScalingRules } from '../../../api/autoscaling/v2.types.ts'
import { withLatest } from './with-latest.ts'

/** A number of replicas that was proposed earlier. */
export interface Recommendation {
  readonly replicas: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Window of an autoscaler without its own, in seconds. */
export const DOWNSCALE_WINDOW = 300

/**
 * Stabilized number of replicas, with the recommendations to keep: the latest one replaces one that is too old, if
 * there is one.
 */
export interface Stabilized {
  readonly replicas: number
  readonly kept: readonly Recommendation[]
}

/** Returns the highest number of the window. */
export function stabilize(
  recommendations: readonly Recommendation[],
  desired: number,
  now: number,
  windowSeconds = DOWNSCALE_WINDOW,
): Stabilized {
  const cutoff = now - windowSeconds * 1000
  const replicas = recommendations.reduce((highest, { replicas: each, at }) => (at >= cutoff ? Math.max(highest, each) : highest), desired)
  return { replicas, kept: withLatest(recommendations, { replicas: desired, at: now }, ({ at }) => at < cutoff) }
}

/** Brings the current number into the range of the numbers of both windows. */
export function stabilizeByRules(
  recommendations: readonly Recommendation[],
  { current, desired }: { readonly current: number; readonly desired: number },
  up: HPAScalingRules,
  down: HPAScalingRules,
  now: number,
): Stabilized {
  const upCutoff = now - (up.stabilizationWindowSeconds ?? 0) * 1000
  const downCutoff = now - (down.stabilizationWindowSeconds ?? DOWNSCALE_WINDOW) * 1000
  let [lowest, highest] = [desired, desired]
  for (const { replicas, at } of recommendations) {
    if (at > upCutoff) lowest = Math.min(lowest, replicas)
    if (at > downCutoff) highest = Math.max(highest, replicas)
  }
  const replicas = Math.min(Math.max(current, lowest), highest)
  return { replicas, kept: withLatest(recommendations, { replicas: desired, at: now }, ({ at }) => at < upCutoff && at < downCutoff) }
}
