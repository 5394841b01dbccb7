import type { Job } from '../../../api/batch/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { finishedAt, remainingBackoff } from './backoff.ts'
import { type JobContext, type JobSync, untrackedPods } from './context.ts'
import { matchFailurePolicy } from './failure-policy.ts'
import { hasIndex, type Indexes, indexesOf, mergeIndexes, missingIndexes, parseIndexes } from './intervals.ts'
import {
  allIndexFailures,
  completionIndex,
  hasTrackingFinalizer,
  hasValidIndex,
  ignoredIndexFailures,
  indexFailures,
  isPodFailed,
} from './job-pods.ts'
import { type JobRules, onlyReplacesFailed } from './rules.ts'

const NO_PODS: ReadonlySet<string> = new Set()

/** Indexes in the status, and those of pods that have succeeded since. */
export function succeededIndexes({ job, pods }: Pick<JobSync, 'job' | 'pods'>): { readonly previous: Indexes; readonly current: Indexes } {
  const previous = parseIndexes(job.status.completedIndexes ?? '', job.spec.completions ?? 0)
  const ended = pods.filter(pod => pod.status.phase === 'Succeeded' && hasValidIndex(pod, job) && hasTrackingFinalizer(pod))
  return { previous, current: mergeIndexes(previous, indexesOf(validIndexes(ended))) }
}

/** Indexes in the status that have failed, and those that have used up their limit since. */
export function failedIndexes({ job, pods, rules }: Pick<JobSync, 'job' | 'pods' | 'rules'>): Indexes {
  const previous = parseIndexes(job.status.failedIndexes ?? '', job.spec.completions ?? 0)
  const ended = pods.filter(pod => hasValidIndex(pod, job) && hasTrackingFinalizer(pod) && isIndexFailed(job, pod, rules))
  return mergeIndexes(previous, indexesOf(validIndexes(ended)))
}

/** Whether a pod is the last failure that its index may have. */
export function isIndexFailed(job: Job, pod: Pod, rules: JobRules): boolean {
  if (!isPodFailed(pod, job, rules)) return false
  const { action, counts } = matchFailurePolicy(job.spec.podFailurePolicy, pod, rules.backoffLimitPerIndex)
  return action === 'FailIndex' || (counts && indexFailures(pod) >= (job.spec.backoffLimitPerIndex ?? 0))
}

/** Indexes of the next pods: those without an active pod that have neither succeeded nor failed, the smallest first. */
export function pendingIndexes(
  { job, active, terminating, rules }: Pick<JobContext, 'job' | 'active' | 'terminating' | 'rules'>,
  { succeeded, failed = [] }: { readonly succeeded: Indexes; readonly failed?: Indexes | undefined },
  count: number,
): number[] {
  const taken = onlyReplacesFailed(job, rules) ? [...active, ...terminating] : active
  return missingIndexes(mergeIndexes(mergeIndexes(succeeded, indexesOf(validIndexes(taken))), failed), count, job.spec.completions ?? 0)
}

/**
 * Failed pods by their index that keep their finalizer until they are replaced, because the replacement continues their
 * number of failures. An index that is active, succeeded or failed has none.
 */
export function delayedPods(context: JobContext, succeeded: Indexes, failed: Indexes): ReadonlyMap<number, Pod> {
  const { job, rules } = context
  const delayed = new Map<number, Pod>()
  const active = new Set(validIndexes(context.active))
  for (const pod of untrackedPods(context, NO_PODS, each => isPodFailed(each, job, rules))) {
    const index = completionIndex(pod)
    if (index === undefined || !hasValidIndex(pod, job)) continue
    if (hasIndex(succeeded, index) || hasIndex(failed, index) || active.has(index)) continue
    const other = delayed.get(index)
    if (!other || isLater(pod, other, rules)) delayed.set(index, pod)
  }
  return delayed
}

const isLater = (pod: Pod, other: Pod, { sidecarContainers }: JobRules): boolean =>
  allIndexFailures(other) <= allIndexFailures(pod) && finishedAt(pod, sidecarContainers) >= finishedAt(other, sidecarContainers)

/**
 * Numbers of failures in the annotations of the pod that replaces another one. @param replaced undefined for the first
 * pod of an index.
 */
export function nextIndexFailures(
  job: Job,
  replaced: Pod | undefined,
  rules: JobRules,
): { readonly failures: number; readonly ignored: number } {
  if (!replaced) return { failures: 0, ignored: 0 }
  const { counts } = matchFailurePolicy(job.spec.podFailurePolicy, replaced, rules.backoffLimitPerIndex)
  return { failures: indexFailures(replaced) + Number(counts), ignored: ignoredIndexFailures(replaced) + Number(!counts) }
}

/** Milliseconds until the pod of an index may be replaced. */
export function remainingIndexBackoff(replaced: Pod | undefined, rules: JobRules, now: number): number {
  if (!replaced) return 0
  return remainingBackoff({ failures: allIndexFailures(replaced) + 1, lastFailure: finishedAt(replaced, rules.sidecarContainers) }, now)
}

const validIndexes = (pods: readonly Pod[]): number[] => pods.flatMap(pod => completionIndex(pod) ?? [])
