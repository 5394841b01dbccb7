import type { PriorityClass } from '../../../api/scheduling/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { forbiddenError } from '../../../meta/status.ts'
import { ageColumn, column, nameColumn, withoutColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { systemPriorityClass } from './system-classes.ts'
import { validatePriorityClass } from './validation.ts'

const PREEMPTION = 'PreemptLowerPriority'

const table: TableDefinition<PriorityClass> = {
  columns: [
    nameColumn,
    column('Value', 'Priority of pods of the class.', 0, 'integer'),
    column('Global-Default', 'Whether the class is the default for pods.', 0, 'boolean'),
    ageColumn,
    column('PreemptionPolicy', 'Whether pods of the class may preempt pods of lower priority.'),
  ],
  cells: ({ metadata, value, globalDefault, preemptionPolicy }, now) => [
    metadata.name ?? '',
    value,
    globalDefault ?? false,
    age(metadata.creationTimestamp, now),
    preemptionPolicy ?? PREEMPTION,
  ],
}

const v1: Version<PriorityClass> = {
  group: 'scheduling.k8s.io',
  name: 'v1',
  kind: 'PriorityClass',
  names: { plural: 'priorityclasses', singular: 'priorityclass', shortNames: ['pc'] },
  verbs: STANDARD_VERBS,
  schema: types.type('scheduling.PriorityClass'),
  setDefaults(object) {
    object.preemptionPolicy ??= PREEMPTION
  },
  table,
  tableIn: release => (isSince(release, '1.32') ? table : withoutColumn(table, 'PreemptionPolicy')),
}

const strategy: Strategy<PriorityClass> = {
  prepare(next, old) {
    if (!old) next.metadata.generation = 1
  },
  validate: validatePriorityClass,
  validateDelete({ metadata: { name = '' } }) {
    if (!systemPriorityClass(name)) return
    throw forbiddenError({ group: v1.group, resource: v1.names.plural }, name, 'this is a system priority class and cannot be deleted')
  },
}

/**
 * The priority of a pod relative to others. System classes have fixed values and cannot be deleted.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#priorityclass
 * Source of its rules: pkg/registry/scheduling/priorityclass.
 */
export const priorityClassResource = defineResource<PriorityClass>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'priorityclasses', version: v1 },
  strategy,
})
