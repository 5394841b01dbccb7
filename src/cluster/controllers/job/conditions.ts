import type { Job, JobCondition } from '../../../api/batch/v1.types.ts'
import { formatTime } from '../../../meta/time.ts'
import { finishedCondition } from '../../shared/jobs.ts'
import type { JobRules } from './rules.ts'

/** Returns a condition that became so at `now`, in milliseconds since the epoch. */
export const jobCondition = (type: string, status: 'True' | 'False', reason: string, message: string, now: number): JobCondition => ({
  type,
  status,
  lastProbeTime: formatTime(now),
  lastTransitionTime: formatTime(now),
  ...(reason !== '' && { reason }),
  ...(message !== '' && { message }),
})

/** Returns the condition of a type if its status is True. */
export const trueCondition = ({ status: { conditions = [] } }: Job, type: string): JobCondition | undefined =>
  conditions.find(condition => condition.type === type && condition.status === 'True')

export const isJobFinished = (job: Job): boolean => finishedCondition(job) !== undefined

/** Returns the condition with which the failure of a job begins. */
export const failureCondition = (reason: string, message: string, rules: JobRules, now: number): JobCondition =>
  jobCondition(rules.delaysTerminalCondition ? 'FailureTarget' : 'Failed', 'True', reason, message, now)

/** Returns the condition with which the success of a job begins. */
export function successCondition(rules: JobRules, now: number): JobCondition {
  const [reason, message] = rules.explainsSuccess ? ['CompletionsReached', 'Reached expected number of succeeded pods'] : ['', '']
  return jobCondition(rules.delaysTerminalCondition ? 'SuccessCriteriaMet' : 'Complete', 'True', reason, message, now)
}

/** Returns the final condition that follows FailureTarget or SuccessCriteriaMet. Other conditions are final. */
export function finalCondition(condition: JobCondition, now: number): JobCondition {
  const { reason = '', message = '' } = condition
  if (condition.type === 'FailureTarget') return jobCondition('Failed', 'True', reason, message, now)
  if (condition.type === 'SuccessCriteriaMet') return jobCondition('Complete', 'True', reason, message, now)
  return condition
}

/**
 * Sets a condition in a list. A condition that does not exist is not added with the status False.
 * @returns undefined if the list need not change.
 */
export function withCondition(conditions: readonly JobCondition[], next: JobCondition): JobCondition[] | undefined {
  const old = conditions.find(({ type }) => type === next.type)
  if (!old) return next.status === 'False' ? undefined : [...conditions, next]
  if (old.status === next.status && (old.reason ?? '') === (next.reason ?? '') && (old.message ?? '') === (next.message ?? ''))
    return undefined
  return conditions.map(condition => (condition === old ? next : condition))
}
