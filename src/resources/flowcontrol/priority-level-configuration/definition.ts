import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { flowControlStatusStrategy, flowControlStrategy } from '../strategies.ts'
import { flowControlVersion } from '../version.ts'
import { setPriorityLevelDefaults } from './defaults.ts'
import { validatePriorityLevel } from './validation.ts'

const table: TableDefinition = {
  columns: [
    nameColumn,
    column('Type', 'Limited, or Exempt from limits.'),
    column('NominalConcurrencyShares', 'Its share of the seats, beside those of other levels.'),
    column('Queues', 'How many queues it has.'),
    column('HandSize', 'To how many queues a flow is dealt.'),
    column('QueueLengthLimit', 'How many requests may wait in a queue.'),
    ageColumn,
  ],
  cells({ metadata, spec }, now) {
    const { nominalConcurrencyShares = '<none>', limitResponse } = spec?.limited ?? {}
    const { queues = '<none>', handSize = '<none>', queueLengthLimit = '<none>' } = limitResponse?.queuing ?? {}
    return [metadata.name ?? '', spec?.type ?? '', nominalConcurrencyShares, queues, handSize, queueLengthLimit, age(metadata.creationTimestamp, now)]
  },
}

const v1: Version = {
  ...flowControlVersion('PriorityLevelConfiguration', { plural: 'prioritylevelconfigurations', singular: 'prioritylevelconfiguration' }),
  setDefaults: setPriorityLevelDefaults,
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: flowControlStatusStrategy } },
}

export const priorityLevelConfigurationResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  storage: { prefix: 'prioritylevelconfigurations', version: v1 },
  strategy: flowControlStrategy(validatePriorityLevel),
}
