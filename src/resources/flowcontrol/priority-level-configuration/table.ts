import type { PriorityLevelConfiguration } from '../../../api/flowcontrol/v1.types.ts'
import type { TableDefinition } from '../../../catalog/definition.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'

/** Table of levels. All versions print the hub version. The column of shares had another name before 1.26. */
export const priorityLevelTableIn = (release: Release): TableDefinition<PriorityLevelConfiguration> => ({
  columns: [
    nameColumn,
    column('Type', 'Limited, or Exempt from limits.'),
    column(
      isSince(release, '1.26') ? 'NominalConcurrencyShares' : 'AssuredConcurrencyShares',
      'Its share of the seats, beside those of other levels.',
    ),
    column('Queues', 'Number of queues.'),
    column('HandSize', 'Number of queues for a flow.'),
    column('QueueLengthLimit', 'Limit on the requests in a queue.'),
    ageColumn,
  ],
  cells({ metadata, spec }, now) {
    const { queues = '<none>', handSize = '<none>', queueLengthLimit = '<none>' } = spec.limited?.limitResponse.queuing ?? {}
    const shares = spec.limited?.nominalConcurrencyShares ?? '<none>'
    return [metadata.name ?? '', spec.type, shares, queues, handSize, queueLengthLimit, age(metadata.creationTimestamp, now)]
  },
})
