import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'
import { containerCells } from '../../apps/shared/cells.ts'
import { CONTAINER_COLUMNS, SELECTOR_COLUMN } from '../../apps/shared/columns.ts'
import { ageColumn, column, nameColumn } from '../../columns.ts'

/** The suspended cell is text, though its column is said to be a boolean. */
const flag = (value: boolean | undefined): string => (value === undefined ? '<unset>' : value ? 'True' : 'False')

export const cronJobTable: TableDefinition = {
  columns: [
    nameColumn,
    column('Schedule', 'When jobs are started, in the format of cron.'),
    column('Timezone', 'The time zone of the schedule; without one, that of the controller.'),
    column('Suspend', 'Whether no further jobs are started.', 0, 'boolean'),
    column('Active', 'Jobs that run now.', 0, 'integer'),
    column('Last Schedule', 'Time since a job was last started.'),
    ageColumn,
    ...CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    spec?.schedule ?? '',
    spec?.timeZone ?? '<none>',
    flag(spec?.suspend),
    (status?.active ?? []).length,
    status?.lastScheduleTime ? age(status.lastScheduleTime, now) : '<none>',
    age(metadata.creationTimestamp, now),
    ...containerCells(spec?.jobTemplate?.spec?.template),
    printLabelSelector(spec?.jobTemplate?.spec?.selector),
  ],
}
