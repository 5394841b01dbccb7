import type { Steps } from '../../../../lib/steps.ts'
import { deepEqual } from '../../../../meta/equal.ts'
import type * as v1 from '../../v1.types.ts'
import type * as v2 from '../../v2.types.ts'
import { BEHAVIOR, CONDITIONS, CURRENT_METRICS, dropRoundTripAnnotations, METRICS } from '../annotations.ts'
import { cpuUtilization } from '../defaults.ts'
import { readList, writeList } from './annotation-lists.ts'
import { readBehavior, writeBehavior } from './behavior.ts'
import { conditionForm, metricForm, statusForm } from './forms.ts'

const cpuStatus = (averageUtilization: number): v2.MetricStatus => ({ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } })

/** The percentage of a metric that says nothing else. */
function cpuPercent(metric: v2.MetricSpec): number | undefined {
  const percent = metric.resource?.target.averageUtilization
  return percent !== undefined && deepEqual(metric, cpuUtilization(percent)) ? percent : undefined
}

/** The utilization that a cpu status reports; of several the last one. */
const usedPercent = (statuses: readonly v2.MetricStatus[]): number | undefined =>
  statuses
    .flatMap(({ type, resource }) => (type === 'Resource' && resource?.name === 'cpu' ? [resource.current.averageUtilization] : []))
    .filter(percent => percent !== undefined)
    .at(-1)

/**
 * autoscaling/v2 → v1, which has fields for the use of processors only: one metric that says nothing else becomes the percentage, and all else is written into annotations as
 * kube-apiserver writes them.
 */
export function* toV1({
  metadata,
  spec: { metrics = [], behavior, ...spec },
  status: given,
  ...autoscaler
}: v2.HorizontalPodAutoscaler): Steps<v1.HorizontalPodAutoscaler> {
  const { currentMetrics, conditions = [], currentReplicas = 0, ...status } = given
  const statuses = currentMetrics ?? []
  dropRoundTripAnnotations(metadata)
  const annotations: Record<string, string> = { ...metadata.annotations }

  // Only one metric has room in the field; a second one of the same form goes into the annotation.
  const cpu = metrics.find(metric => cpuPercent(metric) !== undefined)
  const percent = cpu && cpuPercent(cpu)
  const others = metrics.filter(metric => metric !== cpu)
  if (others.length > 0) annotations[METRICS] = yield* writeList(metricForm(), others)

  const used = usedPercent(statuses)
  // The annotation can be left out only if the status field says all: one status, of the cpu, with nothing but a percentage.
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

/** autoscaling/v1 → v2. An annotation that cannot be read says nothing. */
export function* toV2({ metadata, spec: given, status: givenStatus, ...autoscaler }: v1.HorizontalPodAutoscaler): Steps<v2.HorizontalPodAutoscaler> {
  const { targetCPUUtilizationPercentage: percent, ...spec } = given
  const { currentCPUUtilizationPercentage: used, ...status } = givenStatus
  const annotations = metadata.annotations ?? {}

  // The metric of the percentage comes last, wherever it stood in v2.
  const metrics = [...((yield* readList(metricForm(), annotations[METRICS])) ?? []), ...(percent === undefined ? [] : [cpuUtilization(percent)])]
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
