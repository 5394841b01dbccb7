import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { ageColumn, column, nameColumn } from '../../columns.ts'
import { containerCells } from '../shared/cells.ts'
import { CONTAINER_COLUMNS, SELECTOR_COLUMN } from '../shared/columns.ts'

/** Columns of a kind that keeps a number of equal pods; only the way in which the selector is written differs. */
export const replicaTable = (selector: (object: KubeObject) => string): TableDefinition => ({
  columns: [
    nameColumn,
    column('Desired', 'Pods that are wanted.', 0, 'integer'),
    column('Current', 'Pods that exist.', 0, 'integer'),
    column('Ready', 'Pods that are ready.', 0, 'integer'),
    ageColumn,
    ...CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
  ],
  cells: (object, now) => [
    object.metadata.name ?? '',
    object.spec?.replicas ?? 0,
    object.status?.replicas ?? 0,
    object.status?.readyReplicas ?? 0,
    age(object.metadata.creationTimestamp, now),
    ...containerCells(object.spec?.template),
    selector(object),
  ],
})

export const replicaSetTable = replicaTable(({ spec }) => printLabelSelector(spec?.selector))
