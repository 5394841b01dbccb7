import type { CronJob } from '../../../api/batch/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { mapResult } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { defaultTemplateHostPorts } from '../../core/pod-spec/defaults.ts'
import { dropDisabledTemplateFields } from '../../core/pod-spec/drop.ts'
import { CONTAINER_COLUMNS, containerCells, SELECTOR_COLUMN } from '../../core/workload/container-columns.ts'
import { hostNameWarnings, withLargeTemplate } from '../../core/workload/template.ts'
import { ageColumn, column, nameColumn, withoutColumn } from '../../shared/columns.ts'
import { prepareCreate, prepareUpdate } from '../../shared/spec-generation.ts'
import { keepSpec, SPEC_FIELDS, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { jobSpecWarnings } from '../job/warnings.ts'
import { setCronJobDefaults } from './defaults.ts'
import { validateCronJob } from './validation.ts'

const JOB_SPEC = fieldPath('spec', 'jobTemplate', 'spec')
/** Warning of an update that keeps a time zone in the schedule. A create is rejected. */
const ZONE_IN_SCHEDULE =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'

/** Warning before 1.29, which also applies to creates. */
const OLD_ZONE_IN_SCHEDULE =
  'CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'

/** Warning for a time zone in the schedule. */
function zoneWarnings({ spec }: CronJob, old: CronJob | undefined, { release }: Features): string[] {
  if (!spec.schedule.includes('TZ')) return []
  if (!isSince(release, '1.29')) return [OLD_ZONE_IN_SCHEDULE]
  return old ? [ZONE_IN_SCHEDULE] : []
}

const cronJobStrategy: Strategy<CronJob> = {
  validateName: nameIsDnsSubdomain,
  resetFields: STATUS_FIELDS,
  prepare(next, old, { features }) {
    dropDisabledTemplateFields(next.spec.jobTemplate.spec.template, old?.spec.jobTemplate.spec.template, features)
    return old ? prepareUpdate(next, old) : prepareCreate(next, {})
  },
  validate: withLargeTemplate<CronJob>(JOB_SPEC.child('template'), ({ spec }) => spec.jobTemplate.spec.template, validateCronJob),
  warnings(next, old, { features }) {
    const isChanged = !old || next.metadata.generation !== old.metadata.generation
    const ofJobs = isChanged ? jobSpecWarnings(next.spec.jobTemplate.spec, features, JOB_SPEC) : []
    return mapResult(ofJobs, warnings => [...hostNameWarnings(next, old, features), ...warnings, ...zoneWarnings(next, old, features)])
  },
}

/** Metadata may be written together with the status, as in upstream. */
const cronJobStatusStrategy: Strategy<CronJob> = {
  metaRounds: [],
  resetFields: SPEC_FIELDS,
  prepare: keepSpec,
  validate: () => [],
}

/** The cell is a string, although its column is declared as a boolean. */
const flag = (value: boolean | undefined): string => (value === undefined ? '<unset>' : value ? 'True' : 'False')

const cronJobTable: TableDefinition<CronJob> = {
  columns: [
    nameColumn,
    column('Schedule', 'Schedule in cron format.'),
    column('Timezone', 'Time zone of the schedule.'),
    column('Suspend', 'Whether the schedule is suspended.', 0, 'boolean'),
    column('Active', 'Jobs that are running.', 0, 'integer'),
    column('Last Schedule', 'Time since the last job was started.'),
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

/** Differs from v1 in the default propagation of deletion: jobs are orphaned. Served until 1.24. */
const v1beta1: Version<CronJob> = {
  ...v1,
  name: 'v1beta1',
  schema: types.type('batchV1beta1.CronJob'),
  strategy: { ...cronJobStrategy, defaultPropagation: 'orphan' },
}

/**
 * Creates jobs on a schedule, in the syntax of github.com/robfig/cron.
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
