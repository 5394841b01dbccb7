import type { TableDefinition } from '../../../catalog/definition.ts'
import { printLabelSelector, printLabels } from '../../../meta/label-selector.ts'
import { age } from '../../age.ts'
import { containerCells } from '../shared/cells.ts'
import { AGE_COLUMN, CONTAINER_COLUMNS, column, NAME_COLUMN, SELECTOR_COLUMN } from '../shared/columns.ts'

export const daemonSetTable: TableDefinition = {
  columns: [
    NAME_COLUMN,
    column('Desired', 'integer', 'Nodes that should run the pod.'),
    column('Current', 'integer', 'Nodes that run the pod and should.'),
    column('Ready', 'integer', 'Nodes on which the pod is ready.'),
    column('Up-to-date', 'integer', 'Nodes that run the pod of the present template.'),
    column('Available', 'integer', 'Nodes on which the pod has been ready for minReadySeconds.'),
    column('Node Selector', 'string', 'Labels of the nodes that run the pod.'),
    AGE_COLUMN,
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
