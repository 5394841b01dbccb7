import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../columns.ts'
import { containerCells } from '../shared/cells.ts'
import { CONTAINER_COLUMNS } from '../shared/columns.ts'

export const statefulSetTable: TableDefinition = {
  columns: [nameColumn, column('Ready', 'Pods that are ready, of those that are wanted.'), ageColumn, ...CONTAINER_COLUMNS],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    age(metadata.creationTimestamp, now),
    ...containerCells(spec?.template),
  ],
}
