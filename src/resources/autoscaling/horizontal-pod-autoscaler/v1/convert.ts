import type * as v1 from '../../../../api/autoscaling/v1.types.ts'
import type * as v2 from '../../../../api/autoscaling/v2.types.ts'
import type { Steps } from '../../../../lib/steps.ts'
import { deepEqual } from '../../../../meta/equal.ts'
import { BEHAVIOR, CONDITIONS, CURRENT_METRICS, dropRoundTripAnnotations, METRICS } from '../annotations.ts'
import { cpuUtilization } from '../defaults.ts'
import { readList, writeList } from './annotation-lists.ts'
import { readBehavior, writeBehavior } from './behavior.ts'
import { conditionForm, metricForm, statusForm } from './forms.ts'

const cpuStatus = (averageUtilization: number): v2.MetricStatus => ({
  type: 'Resource',
  resource: { name: 'cpu', current: { averageUtilization } },
})

/** Returns the percentage of a metric that v1's field fully describes, or undefined. */
function cpuPercent(metric: v2.MetricSpec): number | undefined {
  const percent = metric.resource?.target.averageUtilization
  return percent !== undefined && deepEqual(metric, cpuUtilization(percent)) ? percent : undefined
}

/** Returns the CPU utilization in the statuses; if there are several, the last one. */
const usedPercent = (statuses: readonly v2.MetricStatus[]): number | undefined =>
  statuses
    .flatMap(({ type, resource }) => (type === 'Resource' && resource?.name === 'cpu' ? [resource.current.averageUtilization] : []))
    .filter(percent => percent !== undefined)
    .at(-1)

/**
 * Converts autoscaling/v2 to v1, which has fields for CPU utilization only. One metric that is a plain percentage
 * becomes the field, and everything else is written to annotations, in kube-apiserver's form.
 */
export function* autoscalerToV1({
  metadata,
  spec: { metrics = [], behavior, ...spec },
  status: given,
  ...autoscaler
}: v2.HorizontalPodAutoscaler): Steps<v1.HorizontalPodAutoscaler> {
  const { currentMetrics, conditions = [], currentReplicas = 0, ...status } = given
  const statuses = currentMetrics ?? []
  dropRoundTripAnnotations(metadata)
  const annotations: Record<string, string> = { ...metadata.annotations }

  // The field holds one metric. A second one of the same form goes into the annotation.
  const cpu = metrics.find(metric => cpuPercent(metric) !== undefined)
  const percent = cpu && cpuPercent(cpu)
  const others = metrics.filter(metric => metric !== cpu)
  if (others.length > 0) annotations[METRICS] = yield* writeList(metricForm(), others)

  const used = usedPercent(statuses)
  // The annotation is omitted only if the field contains the whole status: one status, of the CPU, with only a
  // percentage.
  const isImplied = used !== undefined && deepEqual(statuses, [cpuStatus(used)])
  if (statuses.length > 0 && !isImplied) annotations[CURRENT_METRICS] = yield* writeList(statusForm(), statuses)
  if (conditions.length > 0) annotations[CONDITIONS] = yield* writeList(conditionForm(), conditions)
  if (behavior) annotations[BEHAVIOR] = writeBehavior(behavior)

  if (Object.keys(annotations).length > 0) metadata.annotations = annotations
  return {
    ...autoscaler,
    metadata,
    spec: { ...spec, ...(percent !== undefined && { targetCPUUtilizationPercentage: percent }) },
    status: { ...status, currentReplicas, ...(used !== undefined && { currentCPUUtilizationPercentage: used }) },
  }
}

/** Converts autoscaling/v1 to v2. Annotations that cannot be parsed are ignored. */
export function* toV2({
  metadata,
  spec: given,
  status: givenStatus,
  ...autoscaler
}: v1.HorizontalPodAutoscaler): Steps<v2.HorizontalPodAutoscaler> {
  const { targetCPUUtilizationPercentage: percent, ...spec } = given
  const { currentCPUUtilizationPercentage: used, ...status } = givenStatus
  const annotations = metadata.annotations ?? {}

  // The metric of the field comes last, whatever its position in v2 was.
  const metrics = [
    ...((yield* readList(metricForm(), annotations[METRICS])) ?? []),
    ...(percent === undefined ? [] : [cpuUtilization(percent)]),
  ]
  const behavior = readBehavior(annotations[BEHAVIOR])
  const conditions = yield* readList(conditionForm(), annotations[CONDITIONS])
  const currentMetrics = (yield* readList(statusForm(), annotations[CURRENT_METRICS])) ?? (used === undefined ? null : [cpuStatus(used)])
  dropRoundTripAnnotations(metadata)
  return {
    ...autoscaler,
    metadata,
    spec: { ...spec, ...(metrics.length > 0 && { metrics }), ...(behavior && { behavior }) },
    status: { ...status, currentMetrics, ...(conditions && { conditions }) },
  }
}
