import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { printLabelSelector, printLabels } from '../../../meta/label-selector.ts'
import { ageColumn, column, nameColumn } from '../../columns.ts'
import { containerCells } from '../shared/cells.ts'
import { CONTAINER_COLUMNS, SELECTOR_COLUMN } from '../shared/columns.ts'

export const daemonSetTable: TableDefinition = {
  columns: [
    nameColumn,
    column('Desired', 'Nodes that should run the pod.', 0, 'integer'),
    column('Current', 'Nodes that run the pod and should.', 0, 'integer'),
    column('Ready', 'Nodes on which the pod is ready.', 0, 'integer'),
    column('Up-to-date', 'Nodes that run the pod of the present template.', 0, 'integer'),
    column('Available', 'Nodes on which the pod has been ready for minReadySeconds.', 0, 'integer'),
    column('Node Selector', 'Labels of the nodes that run the pod.'),
    ageColumn,
    ...CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    status?.desiredNumberScheduled ?? 0,
    status?.currentNumberScheduled ?? 0,
    status?.numberReady ?? 0,
    status?.updatedNumberScheduled ?? 0,
    status?.numberAvailable ?? 0,
    printLabels(spec?.template?.spec?.nodeSelector),
    age(metadata.creationTimestamp, now),
    ...containerCells(spec?.template),
    printLabelSelector(spec?.selector),
  ],
}
