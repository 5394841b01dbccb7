import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { flowControlStatusStrategy, flowControlStrategy } from '../strategies.ts'
import type { PriorityLevelConfiguration } from '../v1.types.ts'
import { flowControlVersion } from '../version.ts'
import { validatePriorityLevel } from './validation.ts'

/** Zero shares are a value; zero queues count as not given. */
function setPriorityLevelDefaults({ spec: { limited, exempt } }: PriorityLevelConfiguration): void {
  if (exempt) {
    exempt.nominalConcurrencyShares ??= 0
    exempt.lendablePercent ??= 0
  }
  if (!limited) return
  limited.nominalConcurrencyShares ??= 30
  limited.lendablePercent ??= 0
  const { queuing } = limited.limitResponse
  if (!queuing) return
  queuing.handSize ||= 8
  queuing.queues ||= 64
  queuing.queueLengthLimit ||= 50
}

const table: TableDefinition<PriorityLevelConfiguration> = {
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
    const { queues = '<none>', handSize = '<none>', queueLengthLimit = '<none>' } = spec.limited?.limitResponse.queuing ?? {}
    const shares = spec.limited?.nominalConcurrencyShares ?? '<none>'
    return [metadata.name ?? '', spec.type, shares, queues, handSize, queueLengthLimit, age(metadata.creationTimestamp, now)]
  },
}

const v1: Version<PriorityLevelConfiguration> = {
  ...flowControlVersion('PriorityLevelConfiguration', { plural: 'prioritylevelconfigurations', singular: 'prioritylevelconfiguration' }),
  setDefaults: setPriorityLevelDefaults,
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: flowControlStatusStrategy } },
}

/**
 * How many requests of a level run and wait at once. The mandatory levels have fixed specs (bootstrap/mandatory.ts).
 * https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#prioritylevelconfiguration
 * Source of its rules: pkg/registry/flowcontrol/prioritylevelconfiguration.
 */
export const priorityLevelConfigurationResource = defineResource<PriorityLevelConfiguration>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'prioritylevelconfigurations', version: v1 },
  strategy: flowControlStrategy(validatePriorityLevel),
})
