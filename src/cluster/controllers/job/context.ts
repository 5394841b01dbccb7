import type { Job } from '../../../api/batch/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { isPodActive, isPodReady, isPodTerminal, isPodTerminating } from '../../shared/pods.ts'
import { type BackoffRecord, nextBackoff } from './backoff.ts'
import { matchFailurePolicy } from './failure-policy.ts'
import { hasTrackingFinalizer, hasValidIndex, isPodFailed } from './job-pods.ts'
import { isIndexed, type JobRules } from './rules.ts'

/** Input of one pass over a job. */
export interface JobSync {
  /** Shared with the informer, must not be changed. */
  readonly job: Job
  /** Pods that the job controls. */
  readonly pods: readonly Pod[]
  readonly rules: JobRules
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Whether all pods that were created and deleted have been seen. */
  readonly isSatisfied: boolean
  /** Uids of pods whose finalizer has been removed, which has not been seen yet. */
  readonly beingReleased: ReadonlySet<string>
  /** Failures of the job so far, which delay new pods. */
  readonly backoff: BackoffRecord
}

/** Input of one pass, and what follows from the pods alone. */
export interface JobContext extends JobSync {
  /** Pods that have not ended and are not being deleted. */
  readonly active: readonly Pod[]
  /** Number of active pods that are ready. */
  readonly ready: number
  /** Pods that are being deleted and have not ended. */
  readonly terminating: readonly Pod[]
  /** Uids in `status.uncountedTerminatedPods`. */
  readonly uncounted: { readonly succeeded: ReadonlySet<string>; readonly failed: ReadonlySet<string> }
  /** Numbers of pods that have ended: those in the status, and those that are not yet counted there. */
  readonly succeeded: number
  readonly failed: number
  /** Record after the pods that have ended since the last pass. */
  readonly nextBackoff: BackoffRecord
}

/** Uid of a pod, which every stored pod has. */
export const uidOf = ({ metadata: { uid = '' } }: Pod): string => uid

/** Derives the context of a pass. It does not change its input. */
export function jobContext(sync: JobSync): JobContext {
  const { job, pods, rules } = sync
  const { succeeded = [], failed = [] } = job.status.uncountedTerminatedPods ?? {}
  const uncounted = { succeeded: new Set(succeeded), failed: new Set(failed) }
  const active = pods.filter(isPodActive)
  const newSucceeded = untrackedPods(sync, uncounted.succeeded, ({ status }) => status.phase === 'Succeeded')
  const newFailed = untrackedPods(sync, uncounted.failed, pod => isPodFailed(pod, job, rules))
  const counting = newFailed.filter(pod => matchFailurePolicy(job.spec.podFailurePolicy, pod, rules.backoffLimitPerIndex).counts)
  return {
    ...sync,
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter(pod => isPodTerminating(pod) && !isPodTerminal(pod)),
    uncounted,
    succeeded: (job.status.succeeded ?? 0) + newSucceeded.length + uncounted.succeeded.size,
    failed: (job.status.failed ?? 0) + counting.length + uncounted.failed.size,
    nextBackoff: nextBackoff(sync.backoff, newSucceeded, newFailed, rules.sidecarContainers),
  }
}

/**
 * Pods in a state that have the finalizer, are not in the set of uncounted pods and have a valid index if the job is
 * Indexed.
 */
export const untrackedPods = (
  { job, pods, beingReleased }: JobSync,
  uncounted: ReadonlySet<string>,
  isInState: (pod: Pod) => boolean,
): Pod[] =>
  pods.filter(
    pod =>
      isInState(pod) &&
      hasTrackingFinalizer(pod) &&
      !uncounted.has(uidOf(pod)) &&
      !beingReleased.has(uidOf(pod)) &&
      (!isIndexed(job) || hasValidIndex(pod, job)),
  )
