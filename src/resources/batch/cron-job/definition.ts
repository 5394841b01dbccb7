import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../strategy-parts.ts'
import { types } from '../../types.ts'
import { setCronJobDefaults } from './defaults.ts'
import { cronJobStatusStrategy, cronJobStrategy } from './strategy.ts'
import { cronJobTable } from './table.ts'

const v1: Version = {
  group: 'batch',
  name: 'v1',
  kind: 'CronJob',
  names: { plural: 'cronjobs', singular: 'cronjob', shortNames: ['cj'] },
  categories: ['all'],
  verbs: STANDARD_VERBS,
  schema: types.type('batch.CronJob'),
  setDefaults: setCronJobDefaults,
  table: cronJobTable,
  subresources: { status: { verbs: STATUS_VERBS, strategy: cronJobStatusStrategy } },
}

export const cronJobResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'cronjobs', version: v1 },
  strategy: cronJobStrategy,
}
