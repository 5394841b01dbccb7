import type { CronJob, CronJobSpec, CronJobStatus, Job } from '../../../src/api/batch/v1.types.ts'
import { jobName, jobOf } from '../../../src/cluster/controllers/cronjob/job.ts'
import { recentTime, untilNext } from '../../../src/cluster/controllers/cronjob/schedule.ts'
import { scheduleOf, syncCronJob } from '../../../src/cluster/controllers/cronjob/sync.ts'
import { nextTime } from '../../../src/lib/cron-next.ts'
import { parseSchedule } from '../../../src/lib/cron-schedule.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { formatTime } from '../../../src/meta/time.ts'

/** Time from which the tables count seconds. */
const START = Date.parse('2016-05-19T10:00:00Z') / 1000

interface SyncIn {
  readonly concurrencyPolicy: 'Allow' | 'Forbid' | 'Replace'
  readonly schedule: string
  readonly timeZone?: string
  readonly suspend?: boolean
  readonly deadline?: number
  readonly now: number
  readonly cronjobCreationTime?: number
  readonly jobCreationTime: number
  readonly lastScheduleTime?: number
  readonly ranPreviously?: boolean
  readonly stillActive?: boolean
  readonly previousJobInStatusActive?: boolean
  readonly jobMissingInLister?: boolean
  readonly createFails?: string
}

const timeOf = (seconds: number): string => formatTime((START + seconds) * 1000)

function cronJobOf(spec: Partial<CronJobSpec>, created: number, status: CronJobStatus = {}): CronJob {
  const template = { metadata: {}, spec: { template: { metadata: {}, spec: { containers: [] } } } }
  return {
    kind: 'CronJob',
    apiVersion: 'batch/v1',
    metadata: { name: 'mycronjob', namespace: 'snazzycats', uid: 'cron', creationTimestamp: timeOf(created) },
    spec: { schedule: '', jobTemplate: template, ...spec },
    status,
  }
}

const OWNER = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'mycronjob', uid: 'cron', controller: true, blockOwnerDeletion: true }

async function sync(given: SyncIn): Promise<object> {
  const spec = {
    schedule: given.schedule,
    concurrencyPolicy: given.concurrencyPolicy,
    ...(given.suspend !== undefined && { suspend: given.suspend }),
    ...(given.deadline !== undefined && { startingDeadlineSeconds: given.deadline }),
    ...(given.timeZone !== undefined && { timeZone: given.timeZone }),
  }
  const cronJob = cronJobOf(spec, given.cronjobCreationTime ?? (given.ranPreviously ? -3660 : -60))
  const jobs: Job[] = []
  const job = runAtOnce(jobOf(cronJob, START + given.jobCreationTime, OWNER, true))
  job.metadata.uid = '1234'
  const reference = { kind: 'Job', name: job.metadata.name ?? '', namespace: 'snazzycats', uid: '1234' }
  const ran: CronJobStatus = { active: [reference] }
  if (given.ranPreviously) {
    cronJob.status.lastScheduleTime = timeOf(given.lastScheduleTime ?? -3540)
    if (given.previousJobInStatusActive) cronJob.status.active = [reference]
    if (!given.stillActive)
      job.status = { conditions: [{ type: 'Complete', status: 'True', lastProbeTime: null, lastTransitionTime: null }] }
    if (!given.jobMissingInLister) jobs.push(job)
  }
  let created = false
  const events: string[] = []
  const outcome = await syncCronJob(
    { cronJob, jobs, now: (START + given.now) * 1000, release: '1.33' },
    {
      refresh: async () => ({ ...cronJob, status: { ...cronJob.status, ...ran } }),
      find: async () => job,
      async create(time) {
        if (given.createFails) return undefined
        created = true
        return runAtOnce(jobOf(cronJob, time, OWNER, true))
      },
      existing: async () => undefined,
      remove: async () => undefined,
      record: (type, reason) => events.push(`${type} ${reason}`),
    },
  )
  return {
    create: created,
    active: outcome.status.active?.length ?? 0,
    expectedWarnings: events.filter(event => event.startsWith('Warning')).length,
    requeueAfter: outcome.checkAfter !== undefined,
    expectedRequeueDuration: outcome.checkAfter === undefined ? 0 : outcome.checkAfter / 1000,
    updateStatus: outcome.isStatusChanged,
    completed: events.includes('Normal SawCompletedJob'),
    err: outcome.error !== undefined,
  }
}

interface TimeIn {
  readonly schedule: string
  readonly created: number
  readonly lastScheduleTime?: number
  readonly startingDeadlineSeconds?: number
  readonly now: number
  readonly useDeadline: boolean
}

const timedCronJob = ({ schedule, created, lastScheduleTime, startingDeadlineSeconds }: Omit<TimeIn, 'useDeadline'>): CronJob =>
  cronJobOf(
    { schedule, ...(startingDeadlineSeconds !== undefined && { startingDeadlineSeconds }) },
    created,
    lastScheduleTime === undefined ? {} : { lastScheduleTime: timeOf(lastScheduleTime) },
  )

function mostRecent(given: TimeIn): object {
  const schedule = runAtOnce(parseSchedule(given.schedule))
  try {
    const { earliest, recent, missed } = runAtOnce(recentTime(timedCronJob(given), START + given.now, schedule, given.useDeadline))
    return { recent: recent === undefined ? null : recent - START, earliest: earliest - START, missed }
  } catch {
    return { error: true }
  }
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  sync,
  'most-recent-time': mostRecent,
  'next-duration': (given: TimeIn) =>
    (runAtOnce(untilNext(timedCronJob(given), START + given.now, runAtOnce(parseSchedule(given.schedule)))) ?? 0) / 1000,
  'next-time'({ schedule, after, timeZone }: { schedule: string; after: string; timeZone?: string }) {
    const time = nextTime(runAtOnce(scheduleOf(schedule, timeZone)), Date.parse(after) / 1000)
    return time === undefined ? null : formatTime(time * 1000)
  },
  parse(given: string) {
    try {
      runAtOnce(parseSchedule(given))
      return true
    } catch {
      return false
    }
  },
  'job-names': ({ cronjob, scheduled }: { cronjob: string; scheduled: string }) =>
    jobName({ ...cronJobOf({}, 0), metadata: { name: cronjob } }, Date.parse(scheduled) / 1000),
  events: 'the entries are texts without objects; the scenarios and unit tests cover the events',
}
