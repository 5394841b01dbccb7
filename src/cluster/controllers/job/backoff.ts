import type { ContainerStatus, Pod } from '../../../api/core/v1.types.ts'
import { timeMillis } from '../../../meta/time.ts'
import { isSidecar, podCondition } from '../../shared/pods.ts'

/** Delay of the first replacement of a failed pod, which doubles with each further failure, and its limit. */
const [BACKOFF_MS, LONGEST_BACKOFF_MS] = [10_000, 600_000]

/** Failures of a job since its last success. */
export interface BackoffRecord {
  readonly failures: number
  /** Milliseconds since the epoch. Undefined if there is no failure. */
  readonly lastFailure: number | undefined
}

export const NO_FAILURES: BackoffRecord = { failures: 0, lastFailure: undefined }

/** Returns the record after pods have ended. Failures before the latest success no longer count. */
export function nextBackoff(old: BackoffRecord, succeeded: readonly Pod[], failed: readonly Pod[], sidecars: boolean): BackoffRecord {
  if (succeeded.length === 0 && failed.length === 0) return old
  const lastSuccess = latestOf(succeeded.map(pod => finishedAt(pod, sidecars)))
  const failures = failed.map(pod => finishedAt(pod, sidecars)).filter(time => time > lastSuccess)
  if (failures.length === 0) return NO_FAILURES
  return { failures: (succeeded.length === 0 ? old.failures : 0) + failures.length, lastFailure: latestOf(failures) }
}

/** Largest of the times. Negative infinity if there is none. */
const latestOf = (times: readonly number[]): number => times.reduce((latest, time) => Math.max(latest, time), Number.NEGATIVE_INFINITY)

/** Milliseconds until a failed pod may be replaced. */
export function remainingBackoff(
  { failures, lastFailure }: BackoffRecord,
  now: number,
  base = BACKOFF_MS,
  longest = LONGEST_BACKOFF_MS,
): number {
  if (failures === 0 || lastFailure === undefined) return 0
  const delay = failures === 1 ? base : Math.min(base * 2 ** Math.min(failures - 1, 64), longest)
  return Math.max(0, delay - (now - lastFailure))
}

/**
 * Milliseconds since the epoch at which a pod ended: the latest end of its containers, or else the time at which it
 * became unready, or else the time at which it was deleted, or else its creation.
 * @param sidecars whether sidecar containers count.
 */
export function finishedAt(pod: Pod, sidecars: boolean): number {
  const ready = podCondition(pod, 'Ready')
  const unready = ready?.status === 'False' ? timeMillis(ready.lastTransitionTime) : undefined
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata
  const deleted = timeMillis(deletionTimestamp)
  return (
    containersFinishedAt(pod, sidecars) ??
    unready ??
    (deleted === undefined ? undefined : deleted - deletionGracePeriodSeconds * 1000) ??
    timeMillis(creationTimestamp) ??
    0
  )
}

/** Latest end of the containers. Undefined if there is no status, or a container has not ended. */
function containersFinishedAt({ spec, status }: Pod, sidecars: boolean): number | undefined {
  const restartable = new Set(sidecars ? (spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name) : [])
  const statuses = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []).filter(({ name }) => restartable.has(name)),
  ]
  const times = statuses.map(({ state }: ContainerStatus) => timeMillis(state.terminated?.finishedAt))
  if (times.length === 0 || times.includes(undefined)) return undefined
  return latestOf(times.map(time => time ?? 0))
}
