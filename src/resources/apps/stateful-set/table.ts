import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../age.ts'
import { containerCells } from '../shared/cells.ts'
import { AGE_COLUMN, CONTAINER_COLUMNS, column, NAME_COLUMN } from '../shared/columns.ts'

export const statefulSetTable: TableDefinition = {
  columns: [NAME_COLUMN, column('Ready', 'string', 'Pods that are ready, of those that are wanted.'), AGE_COLUMN, ...CONTAINER_COLUMNS],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    age(metadata.creationTimestamp, now),
    ...containerCells(spec?.template),
  ],
}
