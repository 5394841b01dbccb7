import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../../api/autoscaling/v2.types.ts'
import type { TableDefinition } from '../../../catalog/definition.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'

/** Printed for a value that the status does not report. */
const UNKNOWN = '<unknown>'
/** Number of metrics in the cell Targets. Others are only counted. */
const SHOWN = 2

interface TargetedSource {
  readonly target: MetricTarget
}

/** Prints the value of an object or external metric, or its average over the pods. */
function valueText({ target }: TargetedSource, current: MetricValueStatus | undefined): string {
  const { value, averageValue } = target
  return averageValue === undefined
    ? `${current?.value ?? UNKNOWN}/${value ?? '<nil>'}`
    : `${current?.averageValue ?? UNKNOWN}/${averageValue} (avg)`
}

interface ResourceSource extends TargetedSource {
  readonly name: string
}

/** Prints `33%/60%` for a utilization, `1Gi/2Gi` for an average value, and `<auto>` for a target without either. */
function resourceText({ target: wanted }: TargetedSource, current: MetricValueStatus | undefined): string {
  const { averageValue, averageUtilization: target } = wanted
  if (averageValue !== undefined) return `${current?.averageValue ?? UNKNOWN}/${averageValue}`
  const utilization = current?.averageUtilization
  return `${utilization === undefined ? UNKNOWN : `${utilization}%`}/${target === undefined ? '<auto>' : `${target}%`}`
}

/** Prints a metric, as in `50m/100m (avg)` or `cpu: 33%/60%`. */
function metricText(metric: MetricSpec, status: MetricStatus | undefined, namesResources: boolean): string {
  const ofResource = (source: ResourceSource, current: MetricValueStatus | undefined): string =>
    `${namesResources ? `${source.name}: ` : ''}${resourceText(source, current)}`
  const { external, object, pods, resource, containerResource } = metric
  switch (metric.type) {
    case 'External':
      return external ? valueText(external, status?.external?.current) : UNKNOWN
    case 'Object':
      return object ? valueText(object, status?.object?.current) : UNKNOWN
    case 'Pods':
      return pods ? `${status?.pods?.current.averageValue ?? UNKNOWN}/${pods.target.averageValue ?? '<nil>'}` : UNKNOWN
    case 'Resource':
      return resource ? ofResource(resource, status?.resource?.current) : UNKNOWN
    case 'ContainerResource':
      return containerResource ? ofResource(containerResource, status?.containerResource?.current) : UNKNOWN
    default:
      return '<unknown type>'
  }
}

/** Prints the first metrics. The status of a metric has the same index in its list. */
function targetsCell(metrics: readonly MetricSpec[], statuses: readonly MetricStatus[], namesResources: boolean): string {
  if (metrics.length === 0) return '<none>'
  const shown = metrics.slice(0, SHOWN).map((metric, i) => metricText(metric, statuses[i], namesResources))
  return `${shown.join(', ')}${metrics.length > SHOWN ? ` + ${metrics.length - SHOWN} more...` : ''}`
}

/**
 * Table of autoscalers in a release: current and target value of the first two metrics, and how many more there are.
 * Resources are named since 1.30.
 */
export const horizontalPodAutoscalerTableIn = (release: Release): TableDefinition<HorizontalPodAutoscaler> => ({
  columns: [
    nameColumn,
    column('Reference', 'Object that is scaled.'),
    column('Targets', 'Current and target values of metrics.'),
    column('MinPods', 'Lower limit on the number of pods.'),
    column('MaxPods', 'Upper limit on the number of pods.'),
    column('Replicas', 'Current number of replicas.'),
    ageColumn,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
    targetsCell(spec.metrics ?? [], status.currentMetrics ?? [], isSince(release, '1.30')),
    spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
    spec.maxReplicas,
    status.currentReplicas ?? 0,
    age(metadata.creationTimestamp, now),
  ],
})
