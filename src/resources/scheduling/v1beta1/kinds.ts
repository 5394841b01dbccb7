import type { PodGroup as AlphaGroup, Workload as AlphaWorkload } from '../../../api/scheduling/v1alpha2.types.ts'
import type { CompositePodGroup, PodGroup, Workload } from '../../../api/scheduling/v1beta1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, NAME_AND_AGE, nameColumn } from '../../shared/columns.ts'
import { statusAloneStrategy, withholdStatus } from '../../shared/status-metadata.ts'
import { STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { groupFromBeta, groupToBeta, workloadFromBeta, workloadToBeta } from '../conversion.ts'
import { validatePodGroupStatus } from '../pod-group/validation.ts'
import { validateBetaPodGroup, validateCompositePodGroup, validateCompositeStatus } from './pod-group-validation.ts'
import { validateBetaWorkload } from './workload-validation.ts'

const GROUP = 'scheduling.k8s.io'
const NONE = '<none>'

/** Prints `Pending` until the scheduler has set a condition. A disruption prints its reason. */
function groupStatusCell({ status: { conditions = [] } }: PodGroup): string {
  const last = (type: string) => conditions.findLast(condition => condition.type === type)
  const disruption = last('DisruptionTarget')
  if (disruption) return disruption.reason
  const scheduled = last('PodGroupInitiallyScheduled')
  if (!scheduled) return 'Pending'
  return scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable'
}

const POLICY_COLUMN = column('Policy', 'Scheduling policy of the pods.')
const WORKLOAD_COLUMN = column('Workload', "Workload of the group's template.")

const groupTable: TableDefinition<PodGroup> = {
  columns: [nameColumn, POLICY_COLUMN, WORKLOAD_COLUMN, column('Status', 'State of the group.'), ageColumn],
  cells: (group, now) => {
    const { metadata, spec } = group
    const workload = spec.workloadRef?.workloadName ?? NONE
    return [
      metadata.name ?? '',
      spec.schedulingPolicy.gang ? 'Gang' : 'Basic',
      workload,
      groupStatusCell(group),
      age(metadata.creationTimestamp, now),
    ]
  },
}

const compositeTable: TableDefinition<CompositePodGroup> = {
  columns: [nameColumn, POLICY_COLUMN, WORKLOAD_COLUMN, ageColumn],
  cells: ({ metadata, spec }, now) => [
    metadata.name ?? '',
    spec.schedulingPolicy.gang ? 'Gang' : 'Basic',
    spec.workloadRef?.workloadName ?? NONE,
    age(metadata.creationTimestamp, now),
  ],
}

const groupStrategy: Strategy<PodGroup> = {
  resetFields: STATUS_FIELDS,
  prepare: (next, old) => withholdStatus(next, old),
  validate: validateBetaPodGroup,
}

const podGroup: Version<PodGroup> = {
  group: GROUP,
  name: 'v1beta1',
  kind: 'PodGroup',
  names: { plural: 'podgroups', singular: 'podgroup' },
  verbs: STANDARD_VERBS,
  schema: types.type('schedulingV1beta1.PodGroup'),
  table: groupTable,
  subresources: {
    status: { verbs: STATUS_VERBS, strategy: statusAloneStrategy<PodGroup>({ validate: next => validatePodGroupStatus(next) }) },
  },
}

const alphaPodGroup: Version<AlphaGroup, PodGroup> = {
  group: GROUP,
  name: 'v1alpha2',
  kind: podGroup.kind,
  names: podGroup.names,
  verbs: STANDARD_VERBS,
  schema: types.type('schedulingV1alpha2.PodGroup'),
  toHub: groupToBeta,
  fromHub: groupFromBeta,
}

const workload: Version<Workload> = {
  group: GROUP,
  name: 'v1beta1',
  kind: 'Workload',
  names: { plural: 'workloads', singular: 'workload' },
  verbs: STANDARD_VERBS,
  schema: types.type('schedulingV1beta1.Workload'),
  table: NAME_AND_AGE,
}

const alphaWorkload: Version<AlphaWorkload, Workload> = {
  group: GROUP,
  name: 'v1alpha2',
  kind: workload.kind,
  names: workload.names,
  verbs: STANDARD_VERBS,
  schema: types.type('schedulingV1alpha2.Workload'),
  toHub: workloadToBeta,
  fromHub: workloadFromBeta,
}

const compositePodGroup: Version<CompositePodGroup> = {
  group: GROUP,
  name: 'v1beta1',
  kind: 'CompositePodGroup',
  names: { plural: 'compositepodgroups', singular: 'compositepodgroup' },
  verbs: STANDARD_VERBS,
  schema: types.type('schedulingV1beta1.CompositePodGroup'),
  table: compositeTable,
  subresources: {
    status: { verbs: STATUS_VERBS, strategy: statusAloneStrategy<CompositePodGroup>({ validate: next => validateCompositeStatus(next) }) },
  },
}

/**
 * Groups of pods, groups of such groups, and their templates, as 1.37 and later have them. v1alpha3 equals v1beta1.
 * v1alpha2, which 1.36 has, can be read and converted. All need both the API version and a gate to be enabled.
 * https://kubernetes.io/docs/concepts/workloads/workload-api/ Source of their rules: pkg/registry/scheduling.
 */
export const POD_GROUP_KINDS: readonly ResourceDefinition[] = [
  defineResource<CompositePodGroup>({
    scope: 'Namespaced',
    versions: [compositePodGroup, { ...compositePodGroup, name: 'v1alpha3', schema: types.type('schedulingV1alpha3.CompositePodGroup') }],
    hub: compositePodGroup,
    storage: { prefix: 'compositepodgroups', version: compositePodGroup },
    strategy: { resetFields: STATUS_FIELDS, prepare: (next, old) => withholdStatus(next, old), validate: validateCompositePodGroup },
  }),
  defineResource<PodGroup>({
    scope: 'Namespaced',
    versions: [podGroup, { ...podGroup, name: 'v1alpha3', schema: types.type('schedulingV1alpha3.PodGroup') }, alphaPodGroup],
    hub: podGroup,
    storage: { prefix: 'podgroups', version: podGroup },
    strategy: groupStrategy,
  }),
  defineResource<Workload>({
    scope: 'Namespaced',
    versions: [workload, { ...workload, name: 'v1alpha3', schema: types.type('schedulingV1alpha3.Workload') }, alphaWorkload],
    hub: workload,
    storage: { prefix: 'workloads', version: workload },
    strategy: { validate: validateBetaWorkload },
  }),
]
