import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { humanDuration } from '../../../meta/human-duration.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { timeMillis } from '../../../meta/time.ts'
import { containerCells } from '../../apps/shared/cells.ts'
import { CONTAINER_COLUMNS, SELECTOR_COLUMN } from '../../apps/shared/columns.ts'
import { ageColumn, column, nameColumn } from '../../columns.ts'
import { isTrue } from './conditions.ts'

/** How far the job is, in one word. */
function state({ metadata, status }: KubeObject): string {
  if (isTrue(status, 'Complete')) return 'Complete'
  if (isTrue(status, 'Failed')) return 'Failed'
  if (metadata.deletionTimestamp) return 'Terminating'
  if (isTrue(status, 'Suspended')) return 'Suspended'
  return isTrue(status, 'FailureTarget') ? 'FailureTarget' : 'Running'
}

/** Without a number of completions, one success is enough. */
function completions({ spec, status }: KubeObject): string {
  const succeeded = status?.succeeded ?? 0
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`
  return (spec?.parallelism ?? 0) > 1 ? `${succeeded}/1 of ${spec.parallelism}` : `${succeeded}/1`
}

function duration(status: KubeObject['status'], now: number): string {
  const start = timeMillis(status?.startTime)
  if (start === undefined) return ''
  const end = timeMillis(status.completionTime)
  return end === undefined ? age(status.startTime, now) : humanDuration(end - start)
}

export const jobTable: TableDefinition = {
  columns: [
    nameColumn,
    column('Status', 'Whether the job runs, is complete or has failed.'),
    column('Completions', 'Pods that have succeeded, of those that must.'),
    column('Duration', 'Time from the start of the job to its end, or till now.'),
    ageColumn,
    ...CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
  ],
  cells: (job, now) => [
    job.metadata.name ?? '',
    state(job),
    completions(job),
    duration(job.status, now),
    age(job.metadata.creationTimestamp, now),
    ...containerCells(job.spec?.template),
    printLabelSelector(job.spec?.selector),
  ],
}
