import type { CronJob, Job } from '../../../api/batch/v1.types.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { timeMillis } from '../../../meta/time.ts'
import { finishedCondition } from '../../shared/jobs.ts'

/** Selects the finished jobs beyond the history limits of a CronJob, oldest first. */
export function expiredJobs({ spec }: CronJob, jobs: readonly Job[]): Job[] {
  const { successfulJobsHistoryLimit: successes, failedJobsHistoryLimit: failures } = spec
  const beyond = (type: string, limit: number | undefined): Job[] => {
    if (limit === undefined) return []
    const ended = jobs.filter(job => finishedCondition(job)?.type === type)
    return ended.toSorted(compareStarts).slice(0, Math.max(0, ended.length - limit))
  }
  return [...beyond('Complete', successes), ...beyond('Failed', failures)]
}

/** Orders jobs by their start, then by name. Jobs that have not started come last. */
function compareStarts(a: Job, b: Job): number {
  const [x, y] = [timeMillis(a.status.startTime) ?? Number.POSITIVE_INFINITY, timeMillis(b.status.startTime) ?? Number.POSITIVE_INFINITY]
  return x === y ? compareText(a.metadata.name ?? '', b.metadata.name ?? '') : x - y
}
