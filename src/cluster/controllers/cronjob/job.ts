import type { CronJob, Job } from '../../../api/batch/v1.types.ts'
import type { OwnerReference } from '../../../api/meta/object.ts'
import { runIfSteps, type Steps } from '../../../lib/steps.ts'
import { zoneOffset } from '../../../lib/time-zone.ts'
import { formatTime } from '../../../meta/time.ts'
import { cloneInSteps } from '../../../meta/whole-floats.ts'
import { withMembers } from '../../shared/with-members.ts'

/** Annotation with the scheduled time, in the time zone of the CronJob. */
const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp'

/** Name of the job of a scheduled time, so that it is created once. @param time seconds since the epoch. */
export const jobName = ({ metadata: { name = '' } }: CronJob, time: number): string => `${name}-${Math.floor(time / 60)}`

/** Returns the job of a scheduled time, in steps if it is large. @param annotates whether the release records the time in an annotation. */
export function* jobOf(cronJob: CronJob, time: number, owner: OwnerReference, annotates: boolean): Steps<Job> {
  const { metadata, spec } = cronJob.spec.jobTemplate
  const { labels = {}, annotations = {} } = metadata
  return {
    kind: 'Job',
    apiVersion: 'batch/v1',
    metadata: {
      name: jobName(cronJob, time),
      namespace: cronJob.metadata.namespace ?? '',
      labels: yield* runIfSteps(withMembers(labels)),
      annotations: yield* runIfSteps(
        withMembers(annotations, annotates ? { [SCHEDULED_AT]: zonedTime(time, cronJob.spec.timeZone ?? 'UTC') } : {}),
      ),
      creationTimestamp: formatTime(time * 1000),
      ownerReferences: [owner],
    },
    spec: yield* cloneInSteps(spec),
    status: {},
  }
}

/** RFC 3339 in a time zone. */
function zonedTime(time: number, zone: string): string {
  const offset = zoneOffset(zone, time)
  const local = formatTime((time + offset) * 1000)
  if (offset === 0) return local
  const minutes = Math.floor(Math.abs(offset) / 60)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${local.slice(0, -1)}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
