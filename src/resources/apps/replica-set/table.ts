import type { TableDefinition } from '../../../catalog/definition.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { age } from '../../age.ts'
import { containerCells } from '../shared/cells.ts'
import { AGE_COLUMN, CONTAINER_COLUMNS, column, NAME_COLUMN, SELECTOR_COLUMN } from '../shared/columns.ts'

/** Columns of a kind that keeps a number of equal pods; only the way in which the selector is written differs. */
export const replicaTable = (selector: (object: KubeObject) => string): TableDefinition => ({
  columns: [
    NAME_COLUMN,
    column('Desired', 'integer', 'Pods that are wanted.'),
    column('Current', 'integer', 'Pods that exist.'),
    column('Ready', 'integer', 'Pods that are ready.'),
    AGE_COLUMN,
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
