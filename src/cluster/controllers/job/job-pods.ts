import type { Job } from '../../../api/batch/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { parseInt64 } from '../../../lib/integer.ts'
import { isPodTerminating } from '../../shared/pods.ts'
import { type JobRules, onlyReplacesFailed } from './rules.ts'

/** Finalizer of pods that are not yet counted in the status of their job. */
export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking'

/** Label and annotation with the index of a pod. */
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index'

/**
 * Annotations with the number of failed pods of the same index before this one: those that count, and those that a
 * policy ignores.
 */
export const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count'
export const IGNORED_INDEX_FAILURES = 'batch.kubernetes.io/job-index-ignored-failure-count'

/** Larger counts are malformed. */
const MAX_INT32 = 2 ** 31 - 1

export const hasTrackingFinalizer = ({ metadata: { finalizers = [] } }: Pod): boolean => finalizers.includes(TRACKING_FINALIZER)

/** Completion index of a pod. Undefined if it has none, or an invalid one. */
export function completionIndex({ metadata: { annotations } }: Pod): number | undefined {
  const value = parseInt64(annotations?.[COMPLETION_INDEX] ?? '')
  return value !== undefined && value >= 0n ? Number(value) : undefined
}

/** Whether a pod of an Indexed job has an index below the number of completions. */
export const hasValidIndex = (pod: Pod, { spec }: Job): boolean =>
  (completionIndex(pod) ?? Number.POSITIVE_INFINITY) < (spec.completions ?? 0)

/** Whether a pod counts as failed. A deleted pod does, unless only failed pods are replaced. */
export const isPodFailed = (pod: Pod, job: Job, rules: JobRules): boolean =>
  pod.status.phase === 'Failed' || (!onlyReplacesFailed(job, rules) && isPodTerminating(pod) && pod.status.phase !== 'Succeeded')

/** Number in an annotation. 0 if it is absent or not an int32. */
function countIn({ metadata: { annotations } }: Pod, name: string): number {
  const value = parseInt64(annotations?.[name] ?? '') ?? 0n
  return value >= 0n && value <= MAX_INT32 ? Number(value) : 0
}

/** Number of failures of the index of a pod before this pod that count. */
export const indexFailures = (pod: Pod): number => countIn(pod, INDEX_FAILURES)

/** Number of failures of the index of a pod before this pod that a policy ignores. */
export const ignoredIndexFailures = (pod: Pod): number => countIn(pod, IGNORED_INDEX_FAILURES)

/** Number of failures of the index of a pod before this pod, ignored ones included. */
export const allIndexFailures = (pod: Pod): number => indexFailures(pod) + ignoredIndexFailures(pod)
