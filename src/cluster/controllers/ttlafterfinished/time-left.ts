import type { Job } from '../../../api/batch/v1.types.ts'
import { timeMillis } from '../../../meta/time.ts'
import { finishedCondition } from '../../shared/jobs.ts'

/**
 * Milliseconds until a finished job expires; 0 or less if it has expired. Undefined if it is not finished, has no limit
 * or is being deleted.
 */
export function timeLeft(job: Job, now: number): number | undefined {
  const { ttlSecondsAfterFinished: limit } = job.spec
  const since = timeMillis(finishedCondition(job)?.lastTransitionTime)
  if (limit === undefined || since === undefined || job.metadata.deletionTimestamp !== undefined) return undefined
  return since + limit * 1000 - now
}
