import type { TableDefinition } from '../../../catalog/definition.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'
import { age } from '../../age.ts'
import { containerCells } from '../shared/cells.ts'
import { AGE_COLUMN, CONTAINER_COLUMNS, column, NAME_COLUMN, SELECTOR_COLUMN } from '../shared/columns.ts'

export const deploymentTable: TableDefinition = {
  columns: [
    NAME_COLUMN,
    column('Ready', 'string', 'Pods that are ready, of those that are wanted.'),
    column('Up-to-date', 'string', 'Pods of the present template.'),
    column('Available', 'string', 'Pods that have been ready for minReadySeconds.'),
    AGE_COLUMN,
    ...CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    status?.updatedReplicas ?? 0,
    status?.availableReplicas ?? 0,
    age(metadata.creationTimestamp, now),
    ...containerCells(spec?.template),
    printLabelSelector(spec?.selector),
  ],
}
