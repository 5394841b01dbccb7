import { defineResource } from '../../../catalog/define.ts'
import type { Strategy, TableDefinition, Version } from '../../../catalog/definition.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { defaultTemplateHostPorts } from '../../core/pod-spec/defaults.ts'
import { dropDisabledTemplateFields } from '../../core/pod-spec/drop.ts'
import { ageColumn, column, nameColumn, withoutColumn } from '../../shared/columns.ts'
import { keepSpec, SPEC_FIELDS, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { containerCells } from '../../shared/workload/cells.ts'
import { CONTAINER_COLUMNS, SELECTOR_COLUMN } from '../../shared/workload/columns.ts'
import { prepareCreate, prepareUpdate } from '../../shared/workload/generation.ts'
import { hostNameWarnings } from '../../shared/workload/template.ts'
import { types } from '../../types.ts'
import { defaultNestedJobSpec } from '../job/defaults.ts'
import { jobSpecWarnings } from '../job/warnings.ts'
import type { CronJob } from '../v1.types.ts'
import { validateCronJob } from './validation.ts'

/** Three jobs that succeeded and one that failed are kept. Source: pkg/apis/batch/v1/defaults.go in k8s.io/kubernetes. */
function setCronJobDefaults({ spec }: CronJob): void {
  if (!spec.concurrencyPolicy) spec.concurrencyPolicy = 'Allow'
  spec.suspend ??= false
  spec.successfulJobsHistoryLimit ??= 3
  spec.failedJobsHistoryLimit ??= 1
  defaultNestedJobSpec(spec.jobTemplate.spec)
}

const JOB_SPEC = fieldPath('spec', 'jobTemplate', 'spec')
/** Such a schedule may stay on an update, and is refused on a create. */
const ZONE_IN_SCHEDULE =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'

/** Before 1.29 a create is warned as well. */
const OLD_ZONE_IN_SCHEDULE =
  'CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'

const cronJobStrategy: Strategy<CronJob> = {
  validateName: nameIsDnsSubdomain,
  resetFields: STATUS_FIELDS,
  prepare(next, old, { features }) {
    dropDisabledTemplateFields(next.spec.jobTemplate.spec.template, old?.spec.jobTemplate.spec.template, features)
    if (old) prepareUpdate(next, old)
    else prepareCreate(next, {})
  },
  validate: validateCronJob,
  warnings(next, old, { features }) {
    const warnings = hostNameWarnings(next, old, features)
    if (!old || next.metadata.generation !== old.metadata.generation) {
      warnings.push(...jobSpecWarnings(next.spec.jobTemplate.spec, features, JOB_SPEC))
    }
    if (next.spec.schedule.includes('TZ')) {
      if (!isSince(features.release, '1.29')) warnings.push(OLD_ZONE_IN_SCHEDULE)
      else if (old) warnings.push(ZONE_IN_SCHEDULE)
    }
    return warnings
  },
}

/** Labels and other metadata may be written along with the status, as upstream. */
const cronJobStatusStrategy: Strategy<CronJob> = {
  metaRounds: [],
  resetFields: SPEC_FIELDS,
  prepare: keepSpec,
  validate: () => [],
}

/** The suspended cell is text, though its column is said to be a boolean. */
const flag = (value: boolean | undefined): string => (value === undefined ? '<unset>' : value ? 'True' : 'False')

const cronJobTable: TableDefinition<CronJob> = {
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
    spec.schedule,
    spec.timeZone ?? '<none>',
    flag(spec.suspend),
    (status.active ?? []).length,
    status.lastScheduleTime ? age(status.lastScheduleTime, now) : '<none>',
    age(metadata.creationTimestamp, now),
    ...containerCells(spec.jobTemplate.spec.template),
    printLabelSelector(spec.jobTemplate.spec.selector),
  ],
}

const v1: Version<CronJob> = {
  group: 'batch',
  name: 'v1',
  kind: 'CronJob',
  names: { plural: 'cronjobs', singular: 'cronjob', shortNames: ['cj'] },
  categories: ['all'],
  verbs: STANDARD_VERBS,
  schema: types.type('batch.CronJob'),
  setDefaults: setCronJobDefaults,
  setGatedDefaults: ({ spec }, features) => defaultTemplateHostPorts(spec.jobTemplate.spec.template, features),
  table: cronJobTable,
  tableIn: release => (isSince(release, '1.30') ? cronJobTable : withoutColumn(cronJobTable, 'Timezone')),
  subresources: { status: { verbs: STATUS_VERBS, strategy: cronJobStatusStrategy } },
}

/** As v1, but for what becomes of the jobs of a cron job that is deleted: they stay. Served until 1.24. */
const v1beta1: Version<CronJob> = {
  ...v1,
  name: 'v1beta1',
  schema: types.type('batchV1beta1.CronJob'),
  strategy: { ...cronJobStrategy, defaultPropagation: 'orphan' },
}

/**
 * Jobs by a schedule, which is that of github.com/robfig/cron.
 * https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/
 * Source of its rules: pkg/registry/batch/cronjob.
 */
export const cronJobResource = defineResource<CronJob>({
  scope: 'Namespaced',
  versions: [v1, v1beta1],
  hub: v1,
  storage: { prefix: 'cronjobs', version: v1 },
  strategy: cronJobStrategy,
})
