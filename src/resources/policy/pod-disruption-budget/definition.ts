import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { podDisruptionBudgetStatusStrategy, podDisruptionBudgetStrategy } from './strategy.ts'

const amount = (value: number | string | undefined): string => (value === undefined ? 'N/A' : String(value))

const table: TableDefinition = {
  columns: [
    nameColumn,
    column('Min Available', 'The least number of pods that must be there.'),
    column('Max Unavailable', 'The largest number of pods that may be missing.'),
    column('Allowed Disruptions', 'Pods that may be evicted now.', 0, 'integer'),
    ageColumn,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    amount(spec?.minAvailable),
    amount(spec?.maxUnavailable),
    status?.disruptionsAllowed ?? 0,
    age(metadata.creationTimestamp, now),
  ],
}

const v1: Version = {
  group: 'policy',
  name: 'v1',
  kind: 'PodDisruptionBudget',
  names: { plural: 'poddisruptionbudgets', singular: 'poddisruptionbudget', shortNames: ['pdb'] },
  verbs: STANDARD_VERBS,
  schema: types.type('policy.PodDisruptionBudget'),
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: podDisruptionBudgetStatusStrategy } },
}

export const podDisruptionBudgetResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'poddisruptionbudgets', version: v1 },
  strategy: podDisruptionBudgetStrategy,
}
