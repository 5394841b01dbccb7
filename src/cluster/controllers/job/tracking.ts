import type { Job, JobCondition, JobStatus } from '../../../api/batch/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { type JobContext, uidOf } from './context.ts'
import type { IndexState } from './decide.ts'
import { matchFailurePolicy } from './failure-policy.ts'
import { countIndexes, formatIndexes, hasIndex, indexesOf, mergeIndexes } from './intervals.ts'
import { completionIndex, hasTrackingFinalizer, hasValidIndex, isPodFailed } from './job-pods.ts'
import { hasLimitPerIndex, isIndexed } from './rules.ts'

/** Number of uncounted pods from which a pass counts no further ones, to bound the size of the status. */
const MOST_UNCOUNTED = 500

/** Result of counting the pods that have ended. */
export interface Tracking {
  /** Status with the uids of these pods, or their indexes. It is written before the finalizers are removed. */
  readonly status: JobStatus
  /** Whether the status differs from the old one. */
  readonly isChanged: boolean
  /** Pods whose finalizer may be removed. */
  readonly release: readonly Pod[]
  /** Uids of all pods that still have the finalizer. */
  readonly held: ReadonlySet<string>
  /** Whether pods are left for the next pass. */
  readonly isPartial: boolean
}

/**
 * Counts pods that have ended or that end with the job. A pod that has the finalizer is entered in
 * `uncountedTerminatedPods`, or its index in `completedIndexes`, before it loses the finalizer, so that no pod is
 * counted twice or never.
 * @param finished condition that ends the job.
 */
export function trackPods(
  context: JobContext,
  status: JobStatus,
  indexes: IndexState | undefined,
  finished: JobCondition | undefined,
): Tracking {
  const { job, pods, beingReleased } = context
  const tracked = pods.filter(pod => hasTrackingFinalizer(pod) && !beingReleased.has(uidOf(pod)))
  const held = new Set(tracked.map(uidOf))
  const cleaned = withoutReleased(status, held)
  const succeeded = [...(cleaned.uncountedTerminatedPods?.succeeded ?? [])]
  const failed = [...(cleaned.uncountedTerminatedPods?.failed ?? [])]
  const newIndexes: number[] = []
  const release: Pod[] = []
  let isPartial = false
  const ended = tracked.filter(pod => mayRelease(context, pod, indexes, finished))
  for (const pod of isIndexed(job) ? byIndex(ended) : ended) {
    release.push(pod)
    const uid = uidOf(pod)
    if (pod.status.phase === 'Succeeded' && !context.uncounted.failed.has(uid)) {
      const index = completionIndex(pod)
      if (!indexes) {
        if (!context.uncounted.succeeded.has(uid)) succeeded.push(uid)
      } else if (index !== undefined && hasValidIndex(pod, job) && !hasIndex(indexes.previous, index)) newIndexes.push(index)
    } else if (countsAsFailed(context, pod, finished)) failed.push(uid)
    if (newIndexes.length + succeeded.length + failed.length >= MOST_UNCOUNTED) {
      isPartial = true
      break
    }
  }
  const next = { ...cleaned, uncountedTerminatedPods: { ...(succeeded.length > 0 && { succeeded }), ...(failed.length > 0 && { failed }) } }
  const isChanged = cleaned !== status || newIndexes.length > 0 || succeeded.length + failed.length !== uncountedIn(cleaned)
  if (!indexes) return { status: next, isChanged, release, held, isPartial }
  const indexed = withIndexes(next, indexes, newIndexes)
  const isSame = indexed.completedIndexes === (cleaned.completedIndexes ?? '') && indexed.failedIndexes === cleaned.failedIndexes
  return { status: indexed, isChanged: isChanged || !isSame, release, held, isPartial }
}

function byIndex(pods: readonly Pod[]): Pod[] {
  const indexes = new Map(pods.map(pod => [pod, completionIndex(pod) ?? -1]))
  return pods.toSorted((a, b) => (indexes.get(a) ?? -1) - (indexes.get(b) ?? -1))
}

/** Whether the finalizer of a pod may be removed now. */
function mayRelease({ job, rules }: JobContext, pod: Pod, indexes: IndexState | undefined, finished: JobCondition | undefined): boolean {
  if (job.metadata.deletionTimestamp !== undefined || finished || pod.status.phase === 'Succeeded') return true
  if (!isPodFailed(pod, job, rules)) return false
  const index = completionIndex(pod)
  return !hasLimitPerIndex(job, rules) || index === undefined || indexes?.delayed.get(index)?.metadata.uid !== pod.metadata.uid
}

/**
 * Whether a pod adds to the number of failed ones. If the job ends without success, all pods that have not succeeded
 * do.
 */
function countsAsFailed({ job, rules, uncounted }: JobContext, pod: Pod, finished: JobCondition | undefined): boolean {
  const endsWithJob = finished !== undefined && finished.type !== 'SuccessCriteriaMet'
  if (!endsWithJob && !isPodFailed(pod, job, rules)) return false
  if (uncounted.failed.has(uidOf(pod)) || (isIndexed(job) && !hasValidIndex(pod, job))) return false
  return matchFailurePolicy(job.spec.podFailurePolicy, pod, rules.backoffLimitPerIndex).counts
}

function withIndexes(status: JobStatus, { succeeded, failed }: IndexState, newIndexes: readonly number[]): JobStatus {
  const { failedIndexes: _, ...others } = status
  const all = mergeIndexes(succeeded, indexesOf(newIndexes))
  return {
    ...others,
    succeeded: countIndexes(all),
    completedIndexes: formatIndexes(all),
    ...(failed && { failedIndexes: formatIndexes(failed) }),
  }
}

const uncountedIn = ({ uncountedTerminatedPods: { succeeded = [], failed = [] } = {} }: JobStatus): number =>
  succeeded.length + failed.length

/**
 * Returns the status after uncounted pods have lost their finalizer: they are counted. Returns the same status if there
 * are none.
 */
export function withoutReleased(status: JobStatus, held: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {}
  const left = { succeeded: succeeded.filter(uid => held.has(uid)), failed: failed.filter(uid => held.has(uid)) }
  const counted = { succeeded: succeeded.length - left.succeeded.length, failed: failed.length - left.failed.length }
  if (counted.succeeded + counted.failed === 0) return status
  return {
    ...status,
    ...(counted.succeeded > 0 && { succeeded: (status.succeeded ?? 0) + counted.succeeded }),
    ...(counted.failed > 0 && { failed: (status.failed ?? 0) + counted.failed }),
    uncountedTerminatedPods: {
      ...(left.succeeded.length > 0 && { succeeded: left.succeeded }),
      ...(left.failed.length > 0 && { failed: left.failed }),
    },
  }
}

/**
 * Whether a job with a condition that ends it may be marked as finished: no pod is uncounted, and none is terminating
 * if the release waits for that.
 */
export const mayFinish = ({ status }: Job, terminating: number, waitsForTerminating: boolean): boolean =>
  uncountedIn(status) === 0 && !(waitsForTerminating && terminating > 0)
