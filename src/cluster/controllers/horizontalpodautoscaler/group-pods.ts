import type { Pod } from '../../../api/core/v1.types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { timeMillis } from '../../../meta/time.ts'
import { podCondition } from '../../shared/pods.ts'

/** A metric of one pod. */
export interface PodMetric {
  /** Value in thousandths of its unit. */
  readonly value: number
  /** End of the window in milliseconds since the epoch. */
  readonly timestamp: number
  /** Length of the window in milliseconds. */
  readonly window: number
}

export type PodMetrics = ReadonlyMap<string, PodMetric>

/** Periods in milliseconds during which the CPU use of a new pod does not count. */
export interface ReadinessPeriods {
  /** Time after the start in which the use of an unready pod, or before it was ready, is ignored. */
  readonly cpuInitialization: number
  /** A pod that became unready within this time after its start has never been ready. */
  readonly initialReadiness: number
}

/** Defaults of kube-controller-manager. */
export const READINESS_PERIODS: ReadinessPeriods = { cpuInitialization: 300_000, initialReadiness: 30_000 }

/** Names of pods by whether their metrics count. */
export interface PodGroups {
  readonly ready: number
  /** Pods that do not run yet, or whose CPU use does not count yet. */
  readonly unready: ReadonlySet<string>
  readonly missing: ReadonlySet<string>
  /** Pods that have failed or are being deleted. */
  readonly ignored: ReadonlySet<string>
}

/**
 * Sorts pods by whether their metrics count, in steps. @param resource name of the resource; empty for other metrics.
 */
export function* groupPods(
  pods: readonly Pod[],
  metrics: PodMetrics,
  resource: string,
  now: number,
  periods: ReadinessPeriods,
): Steps<PodGroups> {
  const [unready, missing, ignored] = [new Set<string>(), new Set<string>(), new Set<string>()]
  let ready = 0
  for (const pod of pods) {
    if (isStepDone()) yield
    const name = pod.metadata.name ?? ''
    const metric = metrics.get(name)
    if (pod.metadata.deletionTimestamp !== undefined || pod.status.phase === 'Failed') ignored.add(name)
    else if (pod.status.phase === 'Pending') unready.add(name)
    else if (!metric) missing.add(name)
    else if (resource === 'cpu' && !countsCpu(pod, metric, now, periods)) unready.add(name)
    else ready++
  }
  return { ready, unready, missing, ignored }
}

function countsCpu(pod: Pod, metric: PodMetric, now: number, { cpuInitialization, initialReadiness }: ReadinessPeriods): boolean {
  const condition = podCondition(pod, 'Ready')
  const start = timeMillis(pod.status.startTime)
  if (!condition || start === undefined) return false
  const isUnready = condition.status === 'False'
  const changed = timeMillis(condition.lastTransitionTime) ?? Number.NEGATIVE_INFINITY
  if (start + cpuInitialization > now) return !isUnready && metric.timestamp >= changed + metric.window
  return !isUnready || start + initialReadiness <= changed
}
