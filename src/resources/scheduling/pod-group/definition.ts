import type { PodGroup } from '../../../api/scheduling/v1alpha2.types.ts'
import type { PodGroup as BetaGroup } from '../../../api/scheduling/v1beta1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { statusAloneStrategy, withholdStatus } from '../../shared/status-metadata.ts'
import { STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { groupFromBeta, groupToBeta } from '../conversion.ts'
import { validatePodGroup, validatePodGroupStatus } from './validation.ts'

/** Prints `Pending` until the scheduler has set a condition. A disruption prints its reason. */
function statusCell({ status: { conditions = [] } }: PodGroup): string {
  const last = (type: string) => conditions.findLast(condition => condition.type === type)
  const disruption = last('DisruptionTarget')
  if (disruption) return disruption.reason
  const scheduled = last('PodGroupScheduled')
  if (!scheduled) return 'Pending'
  return scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable'
}

const table: TableDefinition<PodGroup> = {
  columns: [
    nameColumn,
    column('Policy', 'Scheduling policy of the pods.'),
    column('Workload', "Workload of the group's template."),
    column('Status', 'State of the group.'),
    ageColumn,
  ],
  cells: (group, now) => {
    const { metadata, spec } = group
    const workload = spec.podGroupTemplateRef?.workload?.workloadName ?? '<none>'
    return [
      metadata.name ?? '',
      spec.schedulingPolicy.gang ? 'Gang' : 'Basic',
      workload,
      statusCell(group),
      age(metadata.creationTimestamp, now),
    ]
  },
}

const strategy: Strategy<PodGroup> = {
  resetFields: STATUS_FIELDS,
  prepare: (next, old) => withholdStatus(next, old),
  validate: (next, old, { features }) => validatePodGroup(next, old, features),
}

const v1alpha2: Version<PodGroup> = {
  group: 'scheduling.k8s.io',
  name: 'v1alpha2',
  kind: 'PodGroup',
  names: { plural: 'podgroups', singular: 'podgroup' },
  verbs: STANDARD_VERBS,
  schema: types.type('schedulingV1alpha2.PodGroup'),
  table,
  subresources: {
    status: { verbs: STATUS_VERBS, strategy: statusAloneStrategy<PodGroup>({ validate: next => validatePodGroupStatus(next) }) },
  },
}

/** Version in which 1.37 stores groups. */
const v1beta1: Version<BetaGroup, PodGroup> = {
  group: v1alpha2.group,
  name: 'v1beta1',
  kind: v1alpha2.kind,
  names: v1alpha2.names,
  verbs: STANDARD_VERBS,
  schema: types.type('schedulingV1beta1.PodGroup'),
  toHub: groupFromBeta,
  fromHub: groupToBeta,
}

/**
 * Pods that are scheduled together, usually created from a template of a Workload. Needs both the API version and a
 * gate to be enabled; exists in 1.36 only. https://kubernetes.io/docs/concepts/workloads/workload-api/ Source of its
 * rules: pkg/registry/scheduling/podgroup.
 */
export const podGroupResource = defineResource<PodGroup>({
  scope: 'Namespaced',
  versions: [v1alpha2, v1beta1],
  hub: v1alpha2,
  storage: { prefix: 'podgroups', version: v1alpha2 },
  strategy,
})
