import type { CronJob, CronJobSpec, JobTemplateSpec } from '../../../api/batch/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { enumValues } from '../../../catalog/types.ts'
import { parseSchedule } from '../../../lib/cron-schedule.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import type { Steps } from '../../../lib/steps.ts'
import { isTimeZone, LONGEST_ZONE } from '../../../lib/time-zone.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { longerThan, maxLengthError } from '../../../meta/names.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { podTemplateOptions } from '../../core/pod-spec/options.ts'
import { goLabelSelector } from '../../shared/go-syntax.ts'
import { validateJobSpecParts } from '../job/spec-validation.ts'

/** Limit on names in characters: names of jobs have a suffix of 11 and at most 63. */
const MAX_NAME = 52
const POLICIES = enumValues('batch.ConcurrencyPolicy')

/**
 * Validates the schedule. A time zone in it is accepted only if the old schedule has one too, or before 1.29 in any
 * schedule, and never together with timeZone.
 */
function* validateSchedule(
  { schedule, timeZone }: CronJobSpec,
  old: CronJobSpec | undefined,
  { release }: Features,
  path: FieldPath,
): Steps<FieldError[]> {
  if (!schedule) return covered('', [required(path)])
  const errors: FieldError[] = []
  try {
    yield* parseSchedule(schedule)
  } catch (error) {
    errors.push(invalid(path, schedule, errorMessage(error)))
  }
  if (!schedule.includes('TZ')) return errors
  if (isSince(release, '1.29') && !old?.schedule.includes('TZ'))
    errors.push(invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'))
  else if (timeZone !== undefined) errors.push(invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'))
  return errors
}

/**
 * Validates the time zone. Elements of its name have at most 14 characters, as files of the time zone database do.
 * `Local` is rejected in any case; other spellings than Go's `Local` are reported as unknown, too.
 */
function validateTimeZone(zone: string | undefined, path: FieldPath): FieldError[] {
  if (zone === undefined) return []
  if (zone === '') return [invalid(path, zone, 'timeZone must be nil or non-empty string')]
  const unknown = invalid(path, zone, `unknown time zone ${zone}`)
  if (longerThan(zone, LONGEST_ZONE)) return [unknown]
  if (zone.split('/').some(part => part === '.' || part === '..' || !/^[A-Za-z._0-9+][A-Za-z._0-9+-]{0,13}$/.test(part))) return [unknown]
  const errors: FieldError[] = []
  if (zone.toLowerCase() === 'local') {
    errors.push(invalid(path, zone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'))
  }
  return isTimeZone(zone) || zone === 'Local' ? errors : [...errors, unknown]
}

function validateConcurrency(policy: string | undefined, path: FieldPath): FieldError[] {
  if (!policy) return [required(path)]
  return POLICIES.includes(policy) ? [] : [notSupported(path, policy, POLICIES)]
}

/** Validates the job template. Jobs of a cron job always have a generated selector. */
function validateJobTemplate(
  { spec }: JobTemplateSpec,
  old: JobTemplateSpec | undefined,
  features: Features,
  path: FieldPath,
): FieldError[] {
  const errors = validateJobSpecParts(spec, path, podTemplateOptions(features, spec.template, old?.spec.template))
  if (spec.selector) errors.push(invalid(path.child('selector'), goLabelSelector(spec.selector), '`selector` will be auto-generated'))
  if (spec.manualSelector) errors.push(notSupported(path.child('manualSelector'), true, ['nil', 'false']))
  return errors
}

/**
 * Validates the spec, in upstream's order. An unchanged time zone is not looked up, since it may have been removed from
 * the database.
 */
function* validateCronJobSpec(spec: CronJobSpec, old: CronJobSpec | undefined, features: Features, path: FieldPath): Steps<FieldError[]> {
  const scheduleErrors = yield* validateSchedule(spec, old, features, path.child('schedule'))
  yield
  return [
    ...scheduleErrors,
    ...validateNonNegative(spec.startingDeadlineSeconds, path.child('startingDeadlineSeconds')),
    ...(old && old.timeZone === spec.timeZone ? [] : validateTimeZone(spec.timeZone, path.child('timeZone'))),
    ...validateConcurrency(spec.concurrencyPolicy, path.child('concurrencyPolicy')),
    ...validateJobTemplate(spec.jobTemplate, old?.jobTemplate, features, path.child('jobTemplate', 'spec')),
    ...validateNonNegative(spec.successfulJobsHistoryLimit, path.child('successfulJobsHistoryLimit')),
    ...validateNonNegative(spec.failedJobsHistoryLimit, path.child('failedJobsHistoryLimit')),
  ]
}

/**
 * Validates a CronJob. An update accepts a schedule with a time zone, and an unknown time zone, if the old object has
 * the same. Source: pkg/apis/batch/validation in k8s.io/kubernetes.
 */
export function* validateCronJob(next: CronJob, old: CronJob | undefined, { features }: HookContext): Steps<FieldError[]> {
  const errors = yield* validateCronJobSpec(next.spec, old?.spec, features, fieldPath('spec'))
  const name = next.metadata.name ?? ''
  if (!old && longerThan(name, MAX_NAME)) errors.push(invalid(fieldPath('metadata', 'name'), name, maxLengthError(MAX_NAME)))
  return errors
}
