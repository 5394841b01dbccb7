import type { Convert } from '../../../../catalog/definition.ts'
import { deepEqual } from '../../../../meta/equal.ts'
import type { KubeObject } from '../../../../meta/object.ts'
import type { ApiStruct } from '../../../core/checks.ts'
import { types } from '../../../types.ts'
import { BEHAVIOR, CONDITIONS, CURRENT_METRICS, dropRoundTripAnnotations, METRICS } from '../annotations.ts'
import { cpuUtilization } from '../defaults.ts'
import { type ListForm, readList, writeList } from './annotation-lists.ts'
import { readBehavior, writeBehavior } from './behavior.ts'
import { metricStatusToV1, metricStatusToV2, metricToV1, metricToV2 } from './metrics.ts'

const form = (type: string, toV1 = same, toV2 = same): ListForm => ({
  v1: types.type(`autoscaling.${type}`),
  v2: types.type(`autoscalingv2.${type}`),
  toV1,
  toV2,
})
const same = (item: ApiStruct): ApiStruct => item

const metricForm = (): ListForm => form('MetricSpec', metricToV1, metricToV2)
const statusForm = (): ListForm => form('MetricStatus', metricStatusToV1, metricStatusToV2)
const conditionForm = (): ListForm => form('HorizontalPodAutoscalerCondition')

const cpuStatus = (averageUtilization: number): ApiStruct => ({ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } })

/** The percentage of a metric that says nothing else. */
function cpuPercent(metric: ApiStruct): number | undefined {
  const percent: number | undefined = metric.resource?.target?.averageUtilization
  return percent !== undefined && deepEqual(metric, cpuUtilization(percent)) ? percent : undefined
}

function usedPercent(statuses: readonly ApiStruct[]): number | undefined {
  const used = statuses.filter(({ type, resource }) => type === 'Resource' && resource?.name === 'cpu' && resource.current?.averageUtilization !== undefined)
  return used.at(-1)?.resource.current.averageUtilization
}

const set = (members: ApiStruct, name: string, value: unknown): void => {
  if (value !== undefined) members[name] = value
}

/**
 * autoscaling/v2 → v1, which has fields for the use of processors only: one metric that says nothing else becomes the percentage, and all else is written into annotations as
 * kube-apiserver writes them.
 */
export const toV1: Convert = autoscaler => {
  const { metadata } = autoscaler
  const { metrics: given, behavior, ...spec } = autoscaler.spec ?? {}
  const { currentMetrics, conditions, ...status } = autoscaler.status ?? {}
  const metrics: ApiStruct[] = given ?? []
  const statuses: ApiStruct[] = currentMetrics ?? []
  dropRoundTripAnnotations(metadata)
  const annotations: Record<string, string> = { ...metadata.annotations }

  const cpu = metrics.find(metric => cpuPercent(metric) !== undefined)
  set(spec, 'targetCPUUtilizationPercentage', cpu && cpuPercent(cpu))
  const others = metrics.filter(metric => metric !== cpu)
  if (others.length > 0) annotations[METRICS] = writeList(metricForm(), others)

  const used = usedPercent(statuses)
  set(status, 'currentCPUUtilizationPercentage', used)
  const isTold = used !== undefined && deepEqual(statuses, [cpuStatus(used)])
  if (statuses.length > 0 && !isTold) annotations[CURRENT_METRICS] = writeList(statusForm(), statuses)
  if ((conditions ?? []).length > 0) annotations[CONDITIONS] = writeList(conditionForm(), conditions)
  if (behavior) annotations[BEHAVIOR] = writeBehavior(behavior)

  autoscaler.spec = spec
  autoscaler.status = status
  if (Object.keys(annotations).length > 0) metadata.annotations = annotations
  return autoscaler
}

/** autoscaling/v1 → v2. An annotation that cannot be read says nothing. */
export const toV2: Convert = (autoscaler: KubeObject) => {
  const { metadata } = autoscaler
  const { targetCPUUtilizationPercentage: percent, ...spec } = autoscaler.spec ?? {}
  const { currentCPUUtilizationPercentage: used, ...status } = autoscaler.status ?? {}
  const annotations = metadata.annotations ?? {}

  const metrics = [...(readList(metricForm(), annotations[METRICS]) ?? []), ...(percent === undefined ? [] : [cpuUtilization(percent)])]
  if (metrics.length > 0) spec.metrics = metrics
  set(spec, 'behavior', readBehavior(annotations[BEHAVIOR]))
  set(status, 'currentMetrics', readList(statusForm(), annotations[CURRENT_METRICS]) ?? (used === undefined ? undefined : [cpuStatus(used)]))
  set(status, 'conditions', readList(conditionForm(), annotations[CONDITIONS]))

  autoscaler.spec = spec
  autoscaler.status = status
  dropRoundTripAnnotations(metadata)
  return autoscaler
}
