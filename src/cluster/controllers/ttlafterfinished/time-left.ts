import type { Job } from '../../../api/batch/v1.types.ts'
import { timeMillis } from '../../../meta/time.ts'

/** Milliseconds until a finished job expires; 0 or less if it has expired. Undefined if it is not finished, has no limit or is being deleted. */
export function timeLeft({ metadata, spec, status }: Job, now: number): number | undefined {
  const { ttlSecondsAfterFinished: limit } = spec
  const finished = (status.conditions ?? []).find(condition => (condition.type === 'Complete' || condition.type === 'Failed') && condition.status === 'True')
  const since = timeMillis(finished?.lastTransitionTime)
  if (limit === undefined || since === undefined || metadata.deletionTimestamp !== undefined) return undefined
  return since + limit * 1000 - now
}
