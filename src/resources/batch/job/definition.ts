import type { Job, JobStatus } from '../../../api/batch/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { humanDuration } from '../../../lib/human-duration.ts'
import { mapResult, type Steps } from '../../../lib/steps.ts'
import { DEFAULT_RELEASE, isSince, type Release } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { timeMillis } from '../../../meta/time.ts'
import { dropDisabledTemplateFields } from '../../core/pod-spec/drop.ts'
import { CONTAINER_COLUMNS, containerCells, SELECTOR_COLUMN } from '../../core/workload/container-columns.ts'
import { hostNameWarnings, withLargeTemplate } from '../../core/workload/template.ts'
import { ageColumn, column, nameColumn, withoutColumn } from '../../shared/columns.ts'
import { prepareCreate, prepareUpdate } from '../../shared/spec-generation.ts'
import { SPEC_FIELDS, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { hasTrueCondition } from './conditions.ts'
import { setGatedJobDefaults, setJobDefaults } from './defaults.ts'
import { prepareSelector, takeLabels } from './generated-selector.ts'
import { validateJobStatusUpdate } from './status-validation.ts'
import { prepareTracking } from './tracking.ts'
import { validateJob } from './validation.ts'
import { jobSpecWarnings } from './warnings.ts'

const SPEC = fieldPath('spec')

function* afterOneAnother(...parts: readonly Steps<void>[]): Steps<void> {
  for (const part of parts) yield* part
}

const jobStrategy: Strategy<Job> = {
  validateName: nameIsDnsSubdomain,
  metaRounds: ['whole', 'change'],
  resetFields: STATUS_FIELDS,
  defaultPropagation: 'orphan',
  orphanWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  prepare(next, old, { features }) {
    if (!old) prepareSelector(next, features.release)
    prepareTracking(next, old, features)
    const copying = takeLabels(next)
    dropDisabledTemplateFields(next.spec.template, old?.spec.template, features)
    if (!old) prepareCreate(next, {})
    const comparing = old && prepareUpdate(next, old)
    return copying && comparing ? afterOneAnother(copying, comparing) : (copying ?? comparing)
  },
  validate: withLargeTemplate<Job>(SPEC.child('template'), ({ spec }) => spec.template, validateJob),
  warnings(next, old, { features }) {
    if (old && next.metadata.generation === old.metadata.generation) return []
    return mapResult(jobSpecWarnings(next.spec, features, SPEC), warnings => [...hostNameWarnings(next, old, features), ...warnings])
  },
}

const jobStatusStrategy: Strategy<Job> = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    const copying = takeLabels(next)
    if (old) next.spec = old.spec
    return copying
  },
  validate: validateJobStatusUpdate,
}

/** Prints the state of a job: the first of these that applies. `tellsSuccess` is set since 1.34. */
function state({ metadata, status }: Job, tellsSuccess: boolean): string {
  if (hasTrueCondition(status, 'Complete')) return 'Complete'
  if (hasTrueCondition(status, 'Failed')) return 'Failed'
  if (metadata.deletionTimestamp) return 'Terminating'
  if (hasTrueCondition(status, 'Suspended')) return 'Suspended'
  if (hasTrueCondition(status, 'FailureTarget')) return 'FailureTarget'
  return tellsSuccess && hasTrueCondition(status, 'SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running'
}

/** Without completions, one success is enough. */
function completions({ spec, status }: Job): string {
  const succeeded = status.succeeded ?? 0
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`
  return (spec.parallelism ?? 0) > 1 ? `${succeeded}/1 of ${spec.parallelism}` : `${succeeded}/1`
}

/** Prints the time from start to completion. A failed job has no completionTime, so its duration keeps growing. */
function duration(status: JobStatus, now: number): string {
  const start = timeMillis(status.startTime)
  if (start === undefined) return ''
  const end = timeMillis(status.completionTime)
  return end === undefined ? age(status.startTime, now) : humanDuration(end - start)
}

const jobTableIn = (release: Release): TableDefinition<Job> => ({
  columns: [
    nameColumn,
    column('Status', 'Running, Complete, Failed or another state.'),
    column('Completions', 'Succeeded and required pods.'),
    column('Duration', 'Time from start to completion, or until now.'),
    ageColumn,
    ...CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
  ],
  cells: (job, now) => [
    job.metadata.name ?? '',
    state(job, isSince(release, '1.34')),
    completions(job),
    duration(job.status, now),
    age(job.metadata.creationTimestamp, now),
    ...containerCells(job.spec.template),
    printLabelSelector(job.spec.selector),
  ],
})

const v1: Version<Job> = {
  group: 'batch',
  name: 'v1',
  kind: 'Job',
  names: { plural: 'jobs', singular: 'job' },
  categories: ['all'],
  verbs: STANDARD_VERBS,
  schema: types.type('batch.Job'),
  setDefaults: setJobDefaults,
  setGatedDefaults: setGatedJobDefaults,
  table: jobTableIn(DEFAULT_RELEASE),
  tableIn: release => (isSince(release, '1.30') ? jobTableIn(release) : withoutColumn(jobTableIn(release), 'Status')),
  selectableFields: { 'status.successful': ({ status }) => String(status.succeeded ?? 0) },
  unselectable: field => `field label ${JSON.stringify(field)} not supported for Job`,
  subresources: { status: { verbs: STATUS_VERBS, strategy: jobStatusStrategy } },
}

/**
 * Runs pods to completion. The selector is generated from the UID unless manualSelector is set. A deletion orphans the
 * pods by default. https://kubernetes.io/docs/concepts/workloads/controllers/job/ Source of its rules:
 * pkg/registry/batch/job.
 */
export const jobResource = defineResource<Job>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'jobs', version: v1 },
  strategy: jobStrategy,
})
