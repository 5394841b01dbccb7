import type { Job, JobSpec, JobStatus } from '../../../api/batch/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, invalid, invalidStructure, required, verbatim, words } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { printGoTime, timeMillis } from '../../../meta/time.ts'
import { validateCounts } from '../../shared/counts.ts'
import { goValue } from '../../shared/go-values.ts'
import { hasTrueCondition } from './conditions.ts'
import { commonIndex, countIndexes } from './indexes.ts'

const STATUS = fieldPath('status')
const CONDITIONS = STATUS.child('conditions')
const COMPLETION_TIME = STATUS.child('completionTime')

const isFinished = (status: JobStatus): boolean => hasTrueCondition(status, 'Complete') || hasTrueCondition(status, 'Failed')
const badConditions = (detail: string): FieldError => invalidStructure(CONDITIONS, detail)
const time = (value: string): unknown => verbatim(printGoTime(value), () => JSON.stringify(value))

/** An update of the status. Only members that have changed are subject to the rules of a transition. */
interface Transition {
  readonly spec: JobSpec
  readonly next: JobStatus
  readonly old: JobStatus
  /** Reports whether one of the fields differs from the old status. */
  changed(...fields: (keyof JobStatus)[]): boolean
  /** Reports whether the state of one of the conditions has changed. */
  turned(...conditions: string[]): boolean
  /** Whether the job finishes with this write, or is no longer finished. */
  readonly finishedTurned: boolean
}

/** On create the old status is empty, so that every member that is set counts as changed. */
function transitionOf(job: Job, before: Job | undefined): Transition {
  const next = job.status
  const old = before?.status ?? {}
  const same = (field: keyof JobStatus): boolean => deepEqual(next[field], old[field])
  return {
    spec: job.spec,
    next,
    old,
    changed: (...fields) => !fields.every(same),
    turned: (...conditions) => conditions.some(type => hasTrueCondition(next, type) !== hasTrueCondition(old, type)),
    finishedTurned: isFinished(next) !== isFinished(old),
  }
}

/** Validates terminated pods that are not counted yet, in steps. Each UID occurs once, in one of the two lists. */
function* validateUncounted({ next }: Transition): Steps<FieldError[]> {
  const path = STATUS.child('uncountedTerminatedPods')
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const list of ['succeeded', 'failed'] as const) {
    for (const [i, uid] of (next.uncountedTerminatedPods?.[list] ?? []).entries()) {
      if (isStepDone()) yield
      if (uid === '') errors.push(invalid(path.child(list).index(i), uid, 'must not be empty'))
      else if (seen.has(uid)) errors.push(duplicate(path.child(list).index(i), uid))
      seen.add(uid)
    }
  }
  return errors
}

/**
 * Validates the completion of a job and its time. Only changes are checked, so that a status that predates these rules
 * can be written again.
 */
function validateCompletion({ next, changed, turned }: Transition): FieldError[] {
  const errors: FieldError[] = []
  const complete = hasTrueCondition(next, 'Complete')
  const { completionTime, startTime } = next
  if (complete && turned('Complete', 'Failed') && hasTrueCondition(next, 'Failed'))
    errors.push(badConditions('cannot set Complete=True and Failed=true conditions'))
  if (complete && turned('Complete', 'FailureTarget') && hasTrueCondition(next, 'FailureTarget')) {
    errors.push(badConditions('cannot set Complete=True and FailureTarget=true conditions'))
  }
  if (turned('Complete') || changed('completionTime')) {
    if (completionTime && !complete) {
      errors.push(invalid(COMPLETION_TIME, time(completionTime), 'cannot set completionTime when there is no Complete=True condition'))
    }
    if (!completionTime && complete) errors.push(required(COMPLETION_TIME, 'completionTime is required for Complete jobs'))
  }
  if (
    changed('startTime', 'completionTime') &&
    startTime &&
    completionTime &&
    Number(timeMillis(completionTime)) < Number(timeMillis(startTime))
  ) {
    errors.push(
      invalid(
        COMPLETION_TIME,
        time(completionTime),
        words('completionTime cannot be set before startTime', 'must be equal to or after `startTime`'),
      ),
    )
  }
  if (hasTrueCondition(next, 'Failed') && turned('Failed', 'FailureTarget') && !hasTrueCondition(next, 'FailureTarget')) {
    errors.push(badConditions('cannot set Failed=True condition without the FailureTarget=true condition'))
  }
  if (complete && turned('Complete', 'SuccessCriteriaMet') && !hasTrueCondition(next, 'SuccessCriteriaMet')) {
    errors.push(badConditions('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'))
  }
  return errors
}

/** Validates a finished job. It has started, and has no pods that are active or wait to be counted. */
function validateFinished({ spec, next, changed, finishedTurned }: Transition): FieldError[] {
  if (!isFinished(next)) return []
  const errors: FieldError[] = []
  const { active = 0, startTime, uncountedTerminatedPods: uncounted } = next
  if ((finishedTurned || changed('active')) && active > 0)
    errors.push(invalid(STATUS.child('active'), active, 'active>0 is invalid for finished job'))
  // A suspended job with 0 completions is complete before it starts.
  const neverStarts = spec.suspend === true && spec.completions === 0
  if ((finishedTurned || changed('startTime')) && !neverStarts && !startTime) {
    errors.push(required(STATUS.child('startTime'), 'startTime is required for finished job'))
  }
  if (
    uncounted &&
    (finishedTurned || changed('uncountedTerminatedPods')) &&
    (uncounted.failed ?? []).length + (uncounted.succeeded ?? []).length > 0
  ) {
    const printed = goValue('batch.UncountedTerminatedPods', uncounted)
    errors.push(
      invalid(
        STATUS.child('uncountedTerminatedPods'),
        printed,
        words('uncountedTerminatedPods needs to be empty for finished job', 'must be empty for finished job'),
      ),
    )
  }
  return errors
}

/**
 * Validates completed and failed indexes. They are well-formed and disjoint, and only indexed jobs have them. They are
 * parsed only if changed, since they may be long.
 */
function validateIndexes({ spec, next, changed }: Transition): FieldError[] {
  const errors: FieldError[] = []
  const { completedIndexes = '', failedIndexes } = next
  const atCompleted = STATUS.child('completedIndexes')
  const atFailed = STATUS.child('failedIndexes')
  const { completions } = spec
  const checkFormat = (name: 'completedIndexes' | 'failedIndexes', text: string): void => {
    if (completions === undefined) return
    try {
      countIndexes(text, completions)
    } catch (error) {
      errors.push(invalid(STATUS.child(name), text, `error parsing ${name}: ${errorMessage(error)}`))
    }
  }
  const completedChanged = changed('completedIndexes')
  const failedChanged = changed('failedIndexes')
  const limited = spec.backoffLimitPerIndex !== undefined
  if (completedChanged) checkFormat('completedIndexes', completedIndexes)
  if (failedChanged && limited && failedIndexes !== undefined) checkFormat('failedIndexes', failedIndexes)
  if (completedChanged && completedIndexes !== '' && spec.completionMode !== 'Indexed') {
    errors.push(invalid(atCompleted, completedIndexes, 'cannot set non-empty completedIndexes when non-indexed completion mode'))
  }
  if (failedChanged && !limited && failedIndexes !== undefined) {
    errors.push(invalid(atFailed, failedIndexes, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'))
  }
  if ((failedChanged || completedChanged) && completions !== undefined && failedIndexes !== undefined) {
    const common = commonIndex(completedIndexes, failedIndexes, completions)
    if (common !== undefined)
      errors.push(invalid(atFailed, failedIndexes, `failedIndexes and completedIndexes overlap at index: ${common}`))
  }
  return errors
}

/** Validates the numbers of pods, which must be consistent. A finished job has no active pods. */
function validatePods({ next, changed, finishedTurned }: Transition): FieldError[] {
  const errors: FieldError[] = []
  const { terminating = 0, ready = 0, active = 0 } = next
  if ((finishedTurned || changed('terminating')) && isFinished(next) && terminating > 0) {
    errors.push(invalid(STATUS.child('terminating'), terminating, 'terminating>0 is invalid for finished job'))
  }
  if (changed('ready', 'active') && next.ready !== undefined && ready > active) {
    errors.push(invalid(STATUS.child('ready'), ready, 'cannot set more ready pods than active'))
  }
  return errors
}

/** Validates the success criteria. They exclude failure, and a job with a success policy completes only by them. */
function validateCriteria({ spec, next }: Transition): FieldError[] {
  if (!hasTrueCondition(next, 'SuccessCriteriaMet')) {
    return spec.successPolicy && hasTrueCondition(next, 'Complete')
      ? [badConditions('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True')]
      : []
  }
  const errors: FieldError[] = []
  if (hasTrueCondition(next, 'Failed')) errors.push(badConditions('cannot set SuccessCriteriaMet=True and Failed=true conditions'))
  if (hasTrueCondition(next, 'FailureTarget'))
    errors.push(badConditions('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'))
  return errors
}

/**
 * Checks what may not be reverted: conditions that finish a job, counters, completionTime, and startTime unless the job
 * is suspended. Before 1.36 a changed start time is reported as removed.
 */
function validateProgress({ spec, next, old, changed }: Transition, release: Release): FieldError[] {
  const errors: FieldError[] = []
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (hasTrueCondition(old, type) && !hasTrueCondition(next, type))
      errors.push(badConditions(`cannot disable the terminal ${type}=True condition`))
  }
  // An indexed job whose completions equal its parallelism may be scaled down.
  const scalable = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism
  for (const counter of scalable ? (['failed'] as const) : (['failed', 'succeeded'] as const)) {
    if ((next[counter] ?? 0) < (old[counter] ?? 0))
      errors.push(invalid(STATUS.child(counter), next[counter] ?? 0, `cannot decrease the ${counter} counter`))
  }
  if (next.completionTime && old.completionTime && next.completionTime !== old.completionTime) {
    errors.push(invalid(COMPLETION_TIME, time(next.completionTime), words('completionTime cannot be mutated', 'field is immutable')))
  }
  if (old.startTime && changed('startTime') && !spec.suspend) {
    const at = STATUS.child('startTime')
    const isFixed = isSince(release, '1.36')
    errors.push(
      isFixed
        ? invalid(at, next.startTime ? time(next.startTime) : null, 'field is immutable for unsuspended job once set')
        : required(at, 'startTime cannot be removed for unsuspended job'),
    )
  }
  return errors
}

/** Checks that SuccessCriteriaMet is never removed, and precedes Complete. */
function validateCriteriaKept({ next, old }: Transition): FieldError[] {
  const errors: FieldError[] = []
  const met = hasTrueCondition(next, 'SuccessCriteriaMet')
  const wasMet = hasTrueCondition(old, 'SuccessCriteriaMet')
  if (wasMet && !met) errors.push(badConditions('cannot disable the SuccessCriteriaMet=True condition'))
  if (hasTrueCondition(old, 'Complete') && !wasMet && met) {
    errors.push(badConditions('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'))
  }
  return errors
}

/**
 * Validates an update of the status. Transitions are checked only while the gate JobManagedBy is on (KEP-4368), with
 * which controllers other than kube-controller-manager's write the status. Source: pkg/apis/batch/validation in
 * k8s.io/kubernetes.
 */
export function* validateJobStatusUpdate(next: Job, old: Job | undefined, { features }: HookContext): Steps<FieldError[]> {
  const transition = transitionOf(next, old)
  const errors = [
    ...validateCounts(transition.next, ['active', 'succeeded', 'failed', 'ready', 'terminating'], STATUS),
    ...(yield* validateUncounted(transition)),
  ]
  if (!features.enabled('JobManagedBy')) return [...errors, ...validateCriteria(transition), ...validateCriteriaKept(transition)]
  return [
    ...errors,
    ...validateCompletion(transition),
    ...validateFinished(transition),
    ...validateIndexes(transition),
    ...validatePods(transition),
    ...validateCriteria(transition),
    ...validateProgress(transition, features.release),
    ...validateCriteriaKept(transition),
  ]
}
