import type { HPAScalingPolicy, HPAScalingRules } from '../../../api/autoscaling/v2.types.ts'
import { withLatest } from './with-latest.ts'

/** A change of the number of replicas. */
export interface ScaleEvent {
  /** Number of replicas that were added or removed. */
  readonly change: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Changes of an autoscaler that its policies count. */
export interface ScaleEvents {
  /** Changes that added replicas. Their numbers are positive. */
  readonly up: readonly ScaleEvent[]
  /** Changes that removed replicas. Their numbers are positive, too. */
  readonly down: readonly ScaleEvent[]
}

/** Number of replicas within its bounds. */
export interface Limited {
  readonly replicas: number
  /** Reason of the condition ScalingLimited. */
  readonly reason: string
  readonly message: string
}

/** Input of a limit, in replicas. */
export interface Bounds {
  /** Replicas of the target now. */
  readonly current: number
  /** Replicas that the metrics propose. */
  readonly desired: number
  readonly min: number
  readonly max: number
}

/** Reasons and messages of the condition ScalingLimited, in upstream's words. */
const WITHIN = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' }
const TOO_MANY = { reason: 'TooManyReplicas', message: 'the desired replica count is more than the maximum replica count' }
const TOO_FEW = { reason: 'TooFewReplicas', message: 'the desired replica count is less than the minimum replica count' }
/** Reported if the rate of change, not `max`, limits the number. */
const UP_LIMIT = { reason: 'ScaleUpLimit', message: 'the desired replica count is increasing faster than the maximum scale rate' }
/** Reported if the rate of change, not `min`, limits the number. */
const DOWN_LIMIT = { reason: 'ScaleDownLimit', message: 'the desired replica count is decreasing faster than the maximum scale rate' }

/** Limits the replicas of an autoscaler without policies: at most twice as many as now, or four. */
export function limitReplicas({ current, desired, min, max }: Bounds): Limited {
  const fastest = Math.max(2 * current, 4)
  if (desired < min) return { replicas: min, ...TOO_FEW }
  if (desired > Math.min(max, fastest)) return max > fastest ? { replicas: fastest, ...UP_LIMIT } : { replicas: max, ...TOO_MANY }
  return { replicas: desired, ...WITHIN }
}

/** Limits the replicas of an autoscaler by its policies. */
export function limitReplicasByRules(
  { current, desired, min, max }: Bounds,
  up: HPAScalingRules,
  down: HPAScalingRules,
  events: ScaleEvents,
  now: number,
): Limited {
  if (desired > current) {
    const fastest = Math.max(current, scaleUpLimit(current, up, events, now))
    if (desired > Math.min(max, fastest)) return max > fastest ? { replicas: fastest, ...UP_LIMIT } : { replicas: max, ...TOO_MANY }
  } else if (desired < current) {
    const fastest = Math.min(current, scaleDownLimit(current, down, events, now))
    if (desired < Math.max(min, fastest)) return min < fastest ? { replicas: fastest, ...DOWN_LIMIT } : { replicas: min, ...TOO_FEW }
  }
  return { replicas: desired, ...WITHIN }
}

/** Largest number of replicas that the policies allow. */
export function scaleUpLimit(current: number, { selectPolicy, policies = [] }: HPAScalingRules, events: ScaleEvents, now: number): number {
  if (selectPolicy === 'Disabled') return current
  const proposals = policies.map(policy => {
    const start = periodStart(current, policy, events, now)
    return policy.type === 'Pods' ? start + policy.value : Math.ceil(start * (1 + policy.value / 100))
  })
  return selectPolicy === 'Min' ? Math.min(...proposals) : Math.max(...proposals)
}

/** Smallest number of replicas that the policies allow. */
export function scaleDownLimit(
  current: number,
  { selectPolicy, policies = [] }: HPAScalingRules,
  events: ScaleEvents,
  now: number,
): number {
  if (selectPolicy === 'Disabled') return current
  const proposals = policies.map(policy => {
    const start = periodStart(current, policy, events, now)
    return policy.type === 'Pods' ? start - policy.value : Math.trunc(start * (1 - policy.value / 100))
  })
  return selectPolicy === 'Min' ? Math.max(...proposals) : Math.min(...proposals)
}

/** Number of replicas at the beginning of the period of a policy. */
function periodStart(current: number, { periodSeconds }: HPAScalingPolicy, { up, down }: ScaleEvents, now: number): number {
  const since = now - periodSeconds * 1000
  const changed = (events: readonly ScaleEvent[]): number => events.reduce((sum, { change, at }) => (at > since ? sum + change : sum), 0)
  return current - changed(up) + changed(down)
}

/**
 * Adds a change. It replaces the last one that is older than the longest period of the policies of its direction. Others
 * stay, because the policies of the other direction may have longer periods.
 */
export const withScaleEvent = (events: readonly ScaleEvent[], latest: ScaleEvent, rules: HPAScalingRules = {}): readonly ScaleEvent[] =>
  withLatest(events, latest, ({ at }) => at < latest.at - longestPeriod(rules))

/** Length in milliseconds of the longest period of the policies. */
const longestPeriod = ({ policies = [] }: HPAScalingRules): number =>
  policies.reduce((longest, { periodSeconds }) => Math.max(longest, periodSeconds * 1000), 0)
