import type { EvictionStatus, ResponderStatus, TargetResponder } from '../../../api/lifecycle/v1alpha1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { deepEqual } from '../../../meta/equal.ts'
import {
  duplicate,
  type FieldError,
  forbidden,
  immutableError,
  invalid,
  required,
  tooLongError,
  tooMany,
} from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { longerThan } from '../../../meta/names.ts'
import { timeMillis } from '../../../meta/time.ts'
import { goMember, goValue } from '../../shared/go-values.ts'
import { validatePrefixedKey, validateRequiredEnum } from '../rules.ts'

/** Responders of a pod, and one that every eviction has. */
const MOST_RESPONDERS = 11
/** Inclusive. */
const HIGHEST_PRIORITY = 100_000
/** Bytes of a responder's message. */
const LONGEST_MESSAGE = 4000
/** Milliseconds after which a responder without a heartbeat may be passed over. */
const HEARTBEAT_DEADLINE = 20 * 60_000
/** Difference between clocks that is accepted. */
const SKEW = 30_000
/** Milliseconds: 10 years of 365 days. */
const LONGEST_RUN = 10 * 365 * 86_400_000
/** States in which a responder ends. They do not change. */
const FINAL_STATES = ['Canceled', 'Completed', 'Interrupted']

/** Root of the paths of errors. */
const STATUS_PATH = fieldPath('status')
/** Path of the list with the reports. */
const RESPONDERS_PATH = STATUS_PATH.child('responders')
/** Path of the list with the states. */
const TARGETS_PATH = STATUS_PATH.child('targetResponders')

interface Moment {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Whether the pod is evicted, or its eviction has failed. */
  readonly isFinal: boolean
}

/** Validates responders and their reports. Responders are active one after the other, in the order of the list. */
export function validateResponders(next: EvictionStatus, old: EvictionStatus, moment: Moment): FieldError[] {
  const { targetResponders = [], responders = [] } = next
  return [
    ...validateTargets(targetResponders, old.targetResponders ?? [], responders, moment),
    ...validateReports(responders, old.responders ?? [], targetResponders, moment.now),
  ]
}

const shownList = (member: 'targetResponders' | 'responders', list: readonly TargetResponder[] | readonly ResponderStatus[]) =>
  goMember('lifecycle.EvictionStatus', member, [...list])

/** Returns errors of a list that has too many entries, or one twice. */
function listErrors(list: readonly { readonly name: string }[], path: FieldPath): FieldError[] {
  if (list.length > MOST_RESPONDERS) return [tooMany(path, list.length, MOST_RESPONDERS)]
  const seen = new Set<string>()
  return list.flatMap((each, i) => (seen.size === seen.add(each.name).size ? [duplicate(path.index(i), each)] : []))
}

/** Validates the states. Names and their order are fixed by the first write that has any. */
function validateTargets(
  targets: readonly TargetResponder[],
  old: readonly TargetResponder[],
  reports: readonly ResponderStatus[],
  moment: Moment,
): FieldError[] {
  if (old.length > 0) {
    const changed = (text: string): FieldError[] => [invalid(TARGETS_PATH, shownList('targetResponders', targets), text)]
    if (targets.length !== old.length) return changed('must preserve the same length and the same keys in the same order')
    if (old.some(({ name }, i) => name !== targets[i]?.name)) return changed('must preserve the same keys in the same order')
  }
  const errors = listErrors(targets, TARGETS_PATH)
  if (errors.length > 0) return errors
  return targets.flatMap((target, i) => {
    const report = reports[i]?.name === target.name ? reports[i] : undefined
    return validateTargetResponder(target, report, { ...expectedStates(i, targets, old, moment.isFinal), ...moment }, TARGETS_PATH.index(i))
  })
}

/** States that a responder may be in. */
interface ExpectedStates {
  /** One or more states of the enum. */
  readonly states: readonly string[]
  readonly because: string
}

/** Returns the states that a responder may have now. */
function expectedStates(i: number, targets: readonly TargetResponder[], old: readonly TargetResponder[], isFinal: boolean): ExpectedStates {
  const active = old.findIndex(({ state }) => state === 'Active')
  const isOver = active >= 0 && targets[active]?.state !== 'Active'
  if (i < active || (old.length > 0 && active < 0 && isFinal)) return { states: [old[i]?.state ?? ''], because: 'final state is immutable' }
  if (i === active && isOver) return { states: FINAL_STATES, because: 'this responder must reach a final state' }
  if (i === active) {
    if (isFinal) return { states: FINAL_STATES, because: 'the eviction request has finished processing' }
    return { states: ['Active'], because: 'the eviction request stays active' }
  }
  if ((i === 0 && old.length === 0) || (i === active + 1 && isOver)) {
    if (isFinal) return { states: ['Inactive'], because: 'the eviction request has finished processing' }
    return { states: ['Active'], because: 'this responder is next in line' }
  }
  return { states: ['Inactive'], because: 'the previously active has not finished processing' }
}

/** Validates a target. A running responder that has sent a heartbeat lately may not be ended. */
function validateTargetResponder(
  target: TargetResponder,
  report: ResponderStatus | undefined,
  expected: ExpectedStates & Moment,
  path: FieldPath,
): FieldError[] {
  const { name, priority, state } = target
  const at = path.child('state')
  const errors = [...validatePrefixedKey(name, path.child('name')), ...validatePriority(priority, path.child('priority'))]
  if (!report) {
    const shown = goValue('lifecycle.TargetResponder', target)
    return [...errors, invalid(path, shown, `${JSON.stringify(name)} has to be tracked in ${RESPONDERS_PATH} first`)]
  }
  errors.push(...validateRequiredEnum(state, enumValues('lifecycle.ResponderStateType'), at))
  if (!expected.states.includes(state))
    errors.push(invalid(at, state, `must be one of: ${expected.states.join(', ')}, because ${expected.because}`))
  const beat = timeMillis(report.heartbeatTime ?? report.startTime)
  const isRunning = report.startTime !== undefined && report.completionTime === undefined && beat !== undefined
  if (!expected.states.includes('Active') && isRunning && !expected.isFinal && expected.now < beat + HEARTBEAT_DEADLINE - SKEW) {
    const reported = `${RESPONDERS_PATH.child('heartbeatTime')} or ${RESPONDERS_PATH.child('completionTime')}`
    errors.push(forbidden(at, `must stay Active because the responder is in progress and it should report ${reported}`))
  }
  return errors
}

/** Validates a priority, which is required. */
function validatePriority(priority: number | null, path: FieldPath): FieldError[] {
  if (priority === null) return [required(path)]
  if (priority < 0) return [invalid(path, priority, 'must be greater than or equal to 0')]
  return priority > HIGHEST_PRIORITY ? [invalid(path, priority, `must be less than or equal to ${HIGHEST_PRIORITY}`)] : []
}

/** Reports correspond to targets by index. Only that of the active target may change. */
function validateReports(
  reports: readonly ResponderStatus[],
  old: readonly ResponderStatus[],
  targets: readonly TargetResponder[],
  now: number,
): FieldError[] {
  const wrong = (text: string): FieldError[] => [invalid(RESPONDERS_PATH, shownList('responders', reports), text)]
  if (reports.length !== targets.length)
    return wrong('must be the same length as status.targetResponders and contain the same keys in the same order')
  if (targets.some(({ name }, i) => name !== reports[i]?.name))
    return wrong('must contain the same keys in the same order as status.targetResponders')
  const errors = listErrors(reports, RESPONDERS_PATH)
  if (errors.length > 0) return errors
  const byName = new Map(old.map(each => [each.name, each]))
  return reports.flatMap((report, i) => {
    const path = RESPONDERS_PATH.index(i)
    const before = old[i]
    const isActive = targets[i]?.state === 'Active'
    if (before && !isActive && !deepEqual(report, before)) return [immutableError(path, goValue('lifecycle.ResponderStatus', report))]
    return [
      ...validateTimes(report, before ?? { name: '' }, { isActive, now, named: byName.get(report.name) }, path),
      ...validateMessage(report.message, path.child('message')),
    ]
  })
}

const validateMessage = (message: string | undefined, path: FieldPath): FieldError[] =>
  message !== undefined && longerThan(message, LONGEST_MESSAGE) ? [tooLongError(path, LONGEST_MESSAGE)] : []

/** A time in a report. Times are compared as text: both are canonical. */
type TimeMember = 'startTime' | 'heartbeatTime' | 'expectedCompletionTime' | 'completionTime'

/** Circumstances of a report. */
interface ReportContext {
  /** Whether the target of the report is active. Others must not change their report. */
  readonly isActive: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
  /**
   * Earlier report of the same responder, if any. As upstream, others of its rules compare with the earlier report at
   * the same index.
   */
  readonly named: ResponderStatus | undefined
}

/** Validates the times of a report. Start and completion stay once they are set. */
function validateTimes(
  report: ResponderStatus,
  old: ResponderStatus,
  { isActive, now, named }: ReportContext,
  path: FieldPath,
): FieldError[] {
  const startPath = path.child('startTime')
  const start = timeMillis(report.startTime)
  const at = (member: TimeMember): number => timeMillis(report[member]) ?? 0
  const isNew = (member: TimeMember): boolean => report[member] !== undefined && report[member] !== old[member]
  const isNear = (member: TimeMember): boolean => Math.abs(at(member) - now) < SKEW
  const wrong = (member: TimeMember, text: string): FieldError[] => [invalid(path.child(member), report[member], text)]
  const kept = (member: TimeMember): FieldError[] | undefined => {
    if (old[member] === undefined || old[member] === report[member]) return undefined
    if (named?.[member] === undefined || named[member] === report[member]) return []
    return [
      invalid(
        path.child(member),
        undefined,
        report[member] === undefined ? 'field cannot be cleared once set' : 'field cannot be modified once set',
      ),
    ]
  }
  const afterStart = (member: TimeMember): FieldError[] | undefined => {
    if (start === undefined) return wrong(member, `cannot be set before ${startPath} is set`)
    return at(member) < start ? wrong(member, `must occur after ${startPath}`) : undefined
  }
  const present = (member: TimeMember): FieldError[] =>
    isNew(member) && !isNear(member) ? wrong(member, 'must be set to the present time') : []
  const earlier = (timeMillis(old.heartbeatTime) ?? 0) > at('heartbeatTime') ? wrong('heartbeatTime', 'cannot be decreased') : undefined
  const isPast = at('expectedCompletionTime') < now - SKEW
  const isFar = at('expectedCompletionTime') > now + LONGEST_RUN
  const expected = isPast ? 'cannot be set to the past time' : isFar ? 'must complete within 10 years' : undefined
  return [
    ...(kept('startTime') ??
      (start === undefined ? (isActive ? [required(startPath, 'is required for an active responder')] : []) : present('startTime'))),
    ...(old.heartbeatTime !== undefined && report.heartbeatTime === undefined
      ? [required(path.child('heartbeatTime'), 'is required once set')]
      : []),
    ...(isNew('heartbeatTime')
      ? ((start === undefined ? afterStart('heartbeatTime') : (earlier ?? afterStart('heartbeatTime'))) ?? present('heartbeatTime'))
      : []),
    ...(isNew('expectedCompletionTime')
      ? (afterStart('expectedCompletionTime') ?? (expected ? wrong('expectedCompletionTime', expected) : []))
      : []),
    ...(kept('completionTime') ?? (report.completionTime === undefined ? [] : (afterStart('completionTime') ?? present('completionTime')))),
  ]
}
