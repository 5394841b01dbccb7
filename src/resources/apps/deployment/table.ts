import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'
import { ageColumn, column, nameColumn } from '../../columns.ts'
import { containerCells } from '../shared/cells.ts'
import { CONTAINER_COLUMNS, SELECTOR_COLUMN } from '../shared/columns.ts'

export const deploymentTable: TableDefinition = {
  columns: [
    nameColumn,
    column('Ready', 'Pods that are ready, of those that are wanted.'),
    column('Up-to-date', 'Pods of the present template.'),
    column('Available', 'Pods that have been ready for minReadySeconds.'),
    ageColumn,
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
