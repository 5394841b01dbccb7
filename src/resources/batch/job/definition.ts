import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../strategy-parts.ts'
import { types } from '../../types.ts'
import { setJobDefaults } from './defaults.ts'
import { jobStatusStrategy, jobStrategy } from './strategy.ts'
import { jobTable } from './table.ts'

const v1: Version = {
  group: 'batch',
  name: 'v1',
  kind: 'Job',
  names: { plural: 'jobs', singular: 'job' },
  categories: ['all'],
  verbs: STANDARD_VERBS,
  schema: types.type('batch.Job'),
  setDefaults: setJobDefaults,
  table: jobTable,
  selectableFields: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
  subresources: { status: { verbs: STATUS_VERBS, strategy: jobStatusStrategy } },
}

export const jobResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'jobs', version: v1 },
  strategy: jobStrategy,
}
