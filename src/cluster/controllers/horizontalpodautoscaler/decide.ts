import type { HorizontalPodAutoscaler, HPAScalingRules, MetricStatus } from '../../../api/autoscaling/v2.types.ts'
import type { LabelRequirement } from '../../../meta/label-selector.ts'
import { type Limited, limitReplicas, limitReplicasByRules, type ScaleEvents } from './limits.ts'
import type { MetricError, MetricProposal } from './metrics.ts'
import { type Recommendation, stabilize, stabilizeByRules } from './stabilization.ts'
import { ableToScale, type ConditionState, scalingActive, scalingLimited } from './status.ts'

/** State of an autoscaler between passes. */
export interface AutoscalerMemory {
  readonly recommendations: readonly Recommendation[]
  readonly events: ScaleEvents
  /** Selector of the pods of the target. Omitted before the first pass that reads metrics. */
  readonly selector?: readonly LabelRequirement[]
}

/** Proposals of all metrics of an autoscaler, in order. */
export type MetricResult = MetricProposal | MetricError

const isProposal = (result: MetricResult): result is MetricProposal => 'replicas' in result

/** Combination of the proposals of all metrics. */
export interface Combined {
  /** Largest proposal. Undefined if the metrics do not allow a decision. */
  readonly replicas: number | undefined
  /** Description of the metric with the largest proposal. */
  readonly name: string
  readonly statuses: MetricStatus[]
  readonly condition: ConditionState
  /** Error of the metrics that could not be read. It is reported although others decide. */
  readonly error: string | undefined
}

/**
 * Takes the largest proposal. If a metric could not be read, the number of replicas does not shrink. @param current
 * replicas of the target.
 */
export function combineMetrics(results: readonly MetricResult[], current: number): Combined {
  let best: MetricProposal | undefined
  const failures: MetricError[] = []
  for (const result of results) {
    if (!isProposal(result)) failures.push(result)
    else if (!best || best.replicas === 0 || result.replicas > best.replicas) best = result
  }
  const statuses = results.map(result => (isProposal(result) ? result.status : { type: '' }))
  const [first] = failures
  const error = first && `invalid metrics (${failures.length} invalid out of ${results.length}), first error is: ${first.message}`
  if (first && (!best || best.replicas < current)) {
    const condition = scalingActive('False', first.reason, `the HPA was unable to compute the replica count: ${first.detail}`)
    return { replicas: undefined, name: '', statuses, condition, error }
  }
  const name = best?.name ?? ''
  const condition = scalingActive('True', 'ValidMetricFound', `the HPA was able to successfully calculate a replica count from ${name}`)
  return { replicas: best?.replicas ?? 0, name, statuses, condition, error }
}

/** Number of replicas that an autoscaler sets. */
export interface Normalized {
  readonly replicas: number
  readonly conditions: readonly ConditionState[]
  readonly recommendations: readonly Recommendation[]
}

const NO_RULES: HPAScalingRules = {}

/** Stabilizes a number of replicas, and limits it by the bounds and policies. */
export function normalizeReplicas(
  { spec }: HorizontalPodAutoscaler,
  memory: AutoscalerMemory,
  current: number,
  desired: number,
  now: number,
): Normalized {
  const { minReplicas: min = 1, maxReplicas: max, behavior } = spec
  const [up, down] = [behavior?.scaleUp ?? NO_RULES, behavior?.scaleDown ?? NO_RULES]
  const { replicas, kept } = behavior
    ? stabilizeByRules(memory.recommendations, { current, desired }, up, down, now)
    : stabilize(memory.recommendations, desired, now)
  const bounds = { current, desired: replicas, min, max }
  const limited = behavior ? limitReplicasByRules(bounds, up, down, memory.events, now) : limitReplicas(bounds)
  return {
    replicas: limited.replicas,
    conditions: [
      stabilizedCondition(replicas !== desired, behavior !== undefined && desired >= current),
      limitedCondition(limited, replicas),
    ],
    recommendations: kept,
  }
}

function stabilizedCondition(isStabilized: boolean, isUp: boolean): ConditionState {
  if (!isStabilized) return ableToScale('True', 'ReadyForNewScale', 'recommended size matches current size')
  return isUp
    ? ableToScale(
        'True',
        'ScaleUpStabilized',
        'recent recommendations were lower than current one, applying the lowest recent recommendation',
      )
    : ableToScale(
        'True',
        'ScaleDownStabilized',
        'recent recommendations were higher than current one, applying the highest recent recommendation',
      )
}

const limitedCondition = ({ replicas, reason, message }: Limited, desired: number): ConditionState =>
  scalingLimited(replicas === desired ? 'False' : 'True', reason, message)

/**
 * Decision that needs no metrics: the target is outside of the bounds, or has no replicas. Undefined if metrics decide.
 */
export function boundsDecision(
  { spec }: HorizontalPodAutoscaler,
  current: number,
): { readonly replicas: number; readonly reason: string } | 'disabled' | undefined {
  const { minReplicas: min = 1, maxReplicas: max } = spec
  if (current === 0 && min !== 0) return 'disabled'
  if (current > max) return { replicas: max, reason: 'Current number of replicas above Spec.MaxReplicas' }
  if (current < min) return { replicas: min, reason: 'Current number of replicas below Spec.MinReplicas' }
  return undefined
}

/** Reason of a change in events. */
export function rescaleReason(current: number, proposed: number, metric: string): string {
  if (proposed > current) return `${metric} above target`
  return proposed < current ? 'All metrics below target' : ''
}
