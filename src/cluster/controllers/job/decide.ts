import type { Job, JobCondition } from '../../../api/batch/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { timeMillis } from '../../../meta/time.ts'
import { remainingBackoff } from './backoff.ts'
import { failureCondition, finalCondition, jobCondition, trueCondition } from './conditions.ts'
import type { JobContext } from './context.ts'
import { matchFailurePolicy } from './failure-policy.ts'
import { countIndexes, type Indexes } from './intervals.ts'
import { isPodFailed } from './job-pods.ts'
import { delayedPods, failedIndexes, pendingIndexes, remainingIndexBackoff, succeededIndexes } from './per-index.ts'
import { podsToRemove } from './removal.ts'
import { hasLimitPerIndex, isIndexed, isSuspended, onlyReplacesFailed } from './rules.ts'
import { matchSuccessPolicy } from './success-policy.ts'

/** Largest number of pods that one pass creates or deletes, as upstream's MaxPodCreateDeletePerSync. */
const MOST_PER_SYNC = 500

/** Indexes of an Indexed job. */
export interface IndexState {
  /** Succeeded indexes in the status. */
  readonly previous: Indexes
  readonly succeeded: Indexes
  /** Undefined if the job has no limit per index. */
  readonly failed: Indexes | undefined
  readonly delayed: ReadonlyMap<number, Pod>
}

/** State of a job before its pods are created or deleted. */
export interface Verdict {
  /** Undefined if the job is not Indexed. */
  readonly indexes: IndexState | undefined
  readonly succeeded: number
  /** Condition that ends the job. Undefined if the job continues. */
  readonly finished: JobCondition | undefined
  /** Milliseconds until the active deadline. */
  readonly deadlineIn: number | undefined
}

/**
 * Decides whether a job ends, by its conditions, policies, limits and deadline. Success by the number of completions is
 * decided later.
 */
export function verdictOf(context: JobContext): Verdict {
  const { job, rules, now } = context
  const { finished: earlier, deadlineIn } = ending(context)
  if (!isIndexed(job)) return { indexes: undefined, succeeded: context.succeeded, finished: earlier, deadlineIn }
  const { previous, current: succeeded } = succeededIndexes(context)
  const failed = hasLimitPerIndex(job, rules) ? failedIndexes(context) : undefined
  let finished = earlier
  if (failed && !finished) finished = indexFailure(context, failed, succeeded)
  if (!finished && rules.successPolicy) {
    const message = matchSuccessPolicy(job.spec.successPolicy, job.spec.completions ?? 0, succeeded)
    if (message !== undefined) finished = jobCondition('SuccessCriteriaMet', 'True', 'SuccessPolicy', message, now)
  }
  const delayed = failed ? delayedPods(context, succeeded, failed) : new Map<number, Pod>()
  return { indexes: { previous, succeeded, failed, delayed }, succeeded: countIndexes(succeeded), finished, deadlineIn }
}

function ending(context: JobContext): Pick<Verdict, 'finished' | 'deadlineIn'> {
  const { job, pods, rules, now } = context
  const finished = interimCondition(context) ?? policyFailure(context)
  if (finished) return { finished, deadlineIn: undefined }
  if (context.failed > (job.spec.backoffLimit ?? 6) || isPastRestarts(job, pods))
    return {
      finished: failureCondition('BackoffLimitExceeded', 'Job has reached the specified backoff limit', rules, now),
      deadlineIn: undefined,
    }
  const deadlineIn = untilDeadline(job, now)
  if (deadlineIn !== undefined && deadlineIn <= 0)
    return {
      finished: failureCondition('DeadlineExceeded', 'Job was active longer than specified deadline', rules, now),
      deadlineIn: undefined,
    }
  return { finished: undefined, deadlineIn }
}

/** Condition of an earlier pass that has begun to end the job. */
function interimCondition({ job, rules, now }: JobContext): JobCondition | undefined {
  const success = rules.successPolicy || rules.delaysTerminalCondition ? trueCondition(job, 'SuccessCriteriaMet') : undefined
  if (success) return success
  const failure = trueCondition(job, 'FailureTarget')
  return failure && finalCondition(failure, now)
}

function policyFailure({ job, pods, rules, now }: JobContext): JobCondition | undefined {
  const { podFailurePolicy } = job.spec
  if (!podFailurePolicy) return undefined
  for (const pod of pods) {
    if (!isPodFailed(pod, job, rules)) continue
    const { failJobMessage } = matchFailurePolicy(podFailurePolicy, pod, rules.backoffLimitPerIndex)
    if (failJobMessage !== undefined) return jobCondition('FailureTarget', 'True', 'PodFailurePolicy', failJobMessage, now)
  }
  return undefined
}

function indexFailure({ job, rules, now }: JobContext, failed: Indexes, succeeded: Indexes): JobCondition | undefined {
  const { maxFailedIndexes, completions = 0 } = job.spec
  const count = countIndexes(failed)
  if (maxFailedIndexes !== undefined && count > maxFailedIndexes)
    return failureCondition('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes', rules, now)
  if (count > 0 && count + countIndexes(succeeded) >= completions)
    return failureCondition('FailedIndexes', 'Job has failed indexes', rules, now)
  return undefined
}

/** Whether the containers of pods that restart in place have restarted too often. */
function isPastRestarts({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false
  const limit = spec.backoffLimit ?? 6
  let restarts = 0
  for (const { status } of pods)
    if (status.phase === 'Running' || status.phase === 'Pending')
      for (const { restartCount } of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
        restarts += restartCount
  return limit === 0 ? restarts > 0 : restarts >= limit
}

/** Milliseconds until the active deadline of a job that is not suspended. Undefined if it has none. */
function untilDeadline(job: Job, now: number): number | undefined {
  const { activeDeadlineSeconds } = job.spec
  const start = timeMillis(job.status.startTime)
  if (activeDeadlineSeconds === undefined || start === undefined || isSuspended(job)) return undefined
  return start + Number(activeDeadlineSeconds) * 1000 - now
}

/** Change of the pods of a job that continues. */
export type PodChange =
  | { readonly do: 'nothing' }
  | { readonly do: 'delete'; readonly pods: readonly Pod[] }
  /** @property indexes completion index of each pod; undefined for a job that is not Indexed. */
  | { readonly do: 'create'; readonly indexes: readonly (number | undefined)[] }
  | { readonly do: 'wait'; readonly milliseconds: number }

/** Decides which pods are created or deleted. One pass does only one of both; deletion comes first. */
export function podChangeOf(context: JobContext, { indexes, succeeded }: Verdict): PodChange {
  const { job, active, terminating, rules, now } = context
  if (isSuspended(job)) return { do: 'delete', pods: podsToRemove(job, active, active.length) }
  const want = wantedActive(job, succeeded, active.length)
  const surplus = podsToRemove(job, active, Math.max(0, active.length - want)).slice(0, MOST_PER_SYNC)
  if (surplus.length > 0) return { do: 'delete', pods: surplus }
  const missing = want - active.length - (onlyReplacesFailed(job, rules) ? terminating.length : 0)
  if (missing <= 0) return { do: 'nothing' }
  const isLimitedPerIndex = hasLimitPerIndex(job, rules)
  const wait = isLimitedPerIndex ? 0 : remainingBackoff(context.nextBackoff, now)
  if (wait > 0) return { do: 'wait', milliseconds: wait }
  const count = Math.min(missing, MOST_PER_SYNC)
  if (!indexes) return { do: 'create', indexes: Array.from({ length: count }, () => undefined) }
  const pending = pendingIndexes(context, indexes, count)
  if (!isLimitedPerIndex) return { do: 'create', indexes: pending }
  const waits = pending.map(index => ({ index, wait: remainingIndexBackoff(indexes.delayed.get(index), rules, now) }))
  const due = waits.filter(({ wait }) => wait === 0).map(({ index }) => index)
  if (due.length > 0 || waits.length === 0) return { do: 'create', indexes: due }
  return { do: 'wait', milliseconds: waits.reduce((least, { wait }) => Math.min(least, wait), Number.POSITIVE_INFINITY) }
}

/** Number of pods that should be active. A job without completions starts no pod once one has succeeded. */
function wantedActive({ spec: { completions, parallelism = 1 } }: Job, succeeded: number, active: number): number {
  if (completions === undefined) return succeeded > 0 ? active : parallelism
  return Math.max(0, Math.min(parallelism, completions - succeeded))
}
