import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { ApiStruct } from '../../core/checks.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'

const UNKNOWN = '<unknown>'
const SHOWN = 2

/** A value of one object or of the world outside, or its average over the pods. */
function valueText(source: ApiStruct, current: ApiStruct | undefined): string {
  const { value, averageValue } = source.target
  return averageValue === undefined ? `${current?.value ?? UNKNOWN}/${value ?? '<nil>'}` : `${current?.averageValue ?? UNKNOWN}/${averageValue} (avg)`
}

function resourceText(source: ApiStruct, current: ApiStruct | undefined): string {
  const { averageValue, averageUtilization: target } = source.target
  if (averageValue !== undefined) return `${source.name}: ${current?.averageValue ?? UNKNOWN}/${averageValue}`
  const utilization: number | undefined = current?.averageUtilization
  return `${source.name}: ${utilization === undefined ? UNKNOWN : `${utilization}%`}/${target === undefined ? '<auto>' : `${target}%`}`
}

/** `50m/100m (avg)`, `cpu: 33%/60%`. */
function metricText(metric: ApiStruct, status: ApiStruct | undefined): string {
  const text = (member: string, print: (source: ApiStruct, current: ApiStruct | undefined) => string): string =>
    metric[member] ? print(metric[member], status?.[member]?.current) : UNKNOWN
  switch (metric.type) {
    case 'External':
      return text('external', valueText)
    case 'Object':
      return text('object', valueText)
    case 'Pods':
      return text('pods', ({ target }, current) => `${current?.averageValue ?? UNKNOWN}/${target.averageValue ?? '<nil>'}`)
    case 'Resource':
      return text('resource', resourceText)
    case 'ContainerResource':
      return text('containerResource', resourceText)
    default:
      return '<unknown type>'
  }
}

function targetsCell(metrics: readonly ApiStruct[], statuses: readonly ApiStruct[]): string {
  if (metrics.length === 0) return '<none>'
  const shown = metrics.slice(0, SHOWN).map((metric, i) => metricText(metric, statuses[i]))
  return `${shown.join(', ')}${metrics.length > SHOWN ? ` + ${metrics.length - SHOWN} more...` : ''}`
}

export const horizontalPodAutoscalerTable: TableDefinition = {
  columns: [
    nameColumn,
    column('Reference', 'What is scaled.'),
    column('Targets', 'Values, and what they should be.'),
    column('MinPods', 'The least number of pods.'),
    column('MaxPods', 'The largest number of pods.'),
    column('Replicas', 'How many there are.'),
    ageColumn,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    `${spec?.scaleTargetRef?.kind ?? ''}/${spec?.scaleTargetRef?.name ?? ''}`,
    targetsCell(spec?.metrics ?? [], status?.currentMetrics ?? []),
    spec?.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
    spec?.maxReplicas ?? 0,
    status?.currentReplicas ?? 0,
    age(metadata.creationTimestamp, now),
  ],
}
