import { expect } from 'chai'
import type { CronJob, CronJobSpec, CronJobStatus, Job } from '../../../../../src/api/batch/v1.types.ts'
import { jobOf } from '../../../../../src/cluster/controllers/cronjob/job.ts'
import { type CronEffects, type CronOutcome, syncCronJob } from '../../../../../src/cluster/controllers/cronjob/sync.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { formatTime } from '../../../../../src/meta/time.ts'

const HOUR = Date.parse('2026-06-01T10:00:00Z') / 1000
const OWNER = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: 'c' }
const time = (minutes: number): string => formatTime((HOUR + minutes * 60) * 1000)

function cronJob(spec: Partial<CronJobSpec>, status: CronJobStatus = {}): CronJob {
  const jobTemplate = { metadata: { labels: { a: 'b' } }, spec: { template: { metadata: {}, spec: { containers: [] } } } }
  return {
    kind: 'CronJob',
    apiVersion: 'batch/v1',
    metadata: { name: 'nightly', namespace: 'ns', uid: 'c', creationTimestamp: time(-1) },
    spec: { schedule: '0 * * * *', jobTemplate, ...spec },
    status,
  }
}

function jobAt(minutes: number, end?: 'Complete' | 'Failed'): Job {
  const job = runAtOnce(jobOf(cronJob({}), HOUR + minutes * 60, OWNER, true))
  job.metadata.uid = `uid-${minutes}`
  job.status = {
    startTime: time(minutes),
    ...(end && { conditions: [{ type: end, status: 'True', lastProbeTime: null, lastTransitionTime: null }] }),
    ...(end === 'Complete' && { completionTime: time(minutes + 1) }),
  }
  return job
}

const reference = ({ metadata: { name = '', uid = '' } }: Job) => ({ kind: 'Job', namespace: 'ns', name, uid })

interface Run extends CronOutcome {
  readonly created: string[]
  readonly removed: string[]
  readonly events: string[]
}

async function run(
  given: CronJob,
  jobs: readonly Job[],
  minutes: number,
  own: Partial<CronEffects> = {},
  release: Release = '1.33',
): Promise<Run> {
  const [created, removed, events]: [string[], string[], string[]] = [[], [], []]
  const outcome = await syncCronJob(
    { cronJob: given, jobs, now: (HOUR + minutes * 60) * 1000, release },
    {
      refresh: async () => given,
      find: async ({ name }) => jobs.find(({ metadata }) => metadata.name === name),
      async create(at) {
        const job = runAtOnce(jobOf(given, at, OWNER, true))
        created.push(job.metadata.name ?? '')
        return job
      },
      existing: async () => undefined,
      async remove({ metadata }) {
        removed.push(metadata.name ?? '')
        return undefined
      },
      record: (type, reason, message) => events.push(`${type} ${reason}: ${message}`),
      ...own,
    },
  )
  return { ...outcome, created, removed, events }
}

describe('a pass over a CronJob', () => {
  it('waits for the first time', async () => {
    const { created, checkAfter, isStatusChanged } = await run(cronJob({}), [], -1)
    expect([created, checkAfter, isStatusChanged]).to.deep.equal([[], 60_100, false])
  })

  it('starts a job with the number of its minute', async () => {
    const { created, status, events, checkAfter } = await run(cronJob({}), [], 1)
    expect(created).to.deep.equal(['nightly-29671800'])
    expect([status.lastScheduleTime, status.active?.map(({ name }) => name)]).to.deep.equal([time(0), created])
    expect([events, checkAfter]).to.deep.equal([['Normal SuccessfulCreate: Created job nightly-29671800'], 3_540_100])
  })

  it('does not start the same job twice', async () => {
    expect((await run(cronJob({}, { lastScheduleTime: time(0) }), [], 1)).created).to.deep.equal([])
  })

  it('starts only the latest of many missed times, with a warning', async () => {
    const { created, events } = await run(cronJob({ schedule: '* * * * *' }), [], 200)
    expect(created).to.deep.equal(['nightly-29672000'])
    expect(events[0]).to.equal(
      'Warning TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
    )
  })

  it('starts no job after the deadline', async () => {
    expect((await run(cronJob({ startingDeadlineSeconds: 30 }), [], 1)).created).to.deep.equal([])
    expect((await run(cronJob({ startingDeadlineSeconds: 90 }), [], 1)).created).to.have.length(1)
  })

  it('starts no job while it is suspended, deleted or has an unknown time zone', async () => {
    const deleted = cronJob({})
    deleted.metadata.deletionTimestamp = time(0)
    for (const given of [cronJob({ suspend: true }), deleted])
      expect(await run(given, [], 1)).to.deep.include({ created: [], events: [], checkAfter: undefined })
    expect((await run(cronJob({ timeZone: 'Moon/Sea' }), [], 1)).events).to.deep.equal([
      'Warning UnknownTimeZone: invalid timeZone: "Moon/Sea": unknown time zone Moon/Sea',
    ])
  })

  it('reports a schedule that cannot be parsed, or never matches', async () => {
    expect((await run(cronJob({ schedule: '* * *' }), [], 1)).events).to.deep.equal([
      'Warning UnparseableSchedule: unparseable schedule: "* * *" : expected exactly 5 fields, found 3: [* * *]',
    ])
    expect((await run(cronJob({ schedule: '0 0 30 2 *' }), [], 1)).events).to.deep.equal([
      'Warning InvalidSchedule: invalid schedule: 0 0 30 2 * : time difference between two schedules is less than 1 second',
    ])
  })

  it('uses the time zone of the field, and warns of one in the schedule', async () => {
    expect((await run(cronJob({ schedule: '30 15 * * *', timeZone: 'Asia/Kolkata' }), [], 1)).created).to.deep.equal(['nightly-29671800'])
    const { events } = await run(cronJob({ schedule: 'TZ=UTC 0 * * * *' }), [], -1)
    expect(events).to.have.length(1)
    expect(events[0]).to.match(
      /^Warning UnsupportedSchedule: CRON_TZ or TZ used in schedule "TZ=UTC 0 \* \* \* \*" is not officially supported/,
    )
  })

  it('starts no second job with the policy Forbid', async () => {
    const active = jobAt(-60)
    const { created, events } = await run(cronJob({ concurrencyPolicy: 'Forbid' }, { active: [reference(active)] }), [active], 1)
    expect([created, events]).to.deep.equal([
      [],
      ['Normal JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid'],
    ])
  })

  it('replaces an active job with the policy Replace', async () => {
    const active = jobAt(-60)
    const { created, removed, status } = await run(cronJob({ concurrencyPolicy: 'Replace' }, { active: [reference(active)] }), [active], 1)
    expect([created, removed, status.active?.length]).to.deep.equal([['nightly-29671800'], ['nightly-29671740'], 1])
  })

  it('removes jobs from the list of active ones when they end, and notes the last success with them', async () => {
    const ended = jobAt(-60, 'Complete')
    const { status, events } = await run(cronJob({}, { active: [reference(ended)], lastScheduleTime: time(-60) }), [ended], -10)
    expect([status.active, status.lastSuccessfulTime, events]).to.deep.equal([
      [],
      time(-59),
      ['Normal SawCompletedJob: Saw completed job: nightly-29671740, condition: Complete'],
    ])
    expect((await run(cronJob({}, status), [ended], -10)).isStatusChanged).to.equal(false)
  })

  it('notes the last success in the next pass until release 1.30', async () => {
    const ended = jobAt(-60, 'Complete')
    const given = cronJob({}, { active: [reference(ended)], lastScheduleTime: time(-60) })
    const first = await run(given, [ended], -10, {}, '1.30')
    expect([first.status.active, first.status.lastSuccessfulTime, first.events]).to.deep.equal([
      [],
      undefined,
      ['Normal SawCompletedJob: Saw completed job: nightly-29671740, status: Complete'],
    ])
    const second = await run(cronJob({}, first.status), [ended], -10, {}, '1.30')
    expect([second.status.lastSuccessfulTime, second.isStatusChanged]).to.deep.equal([time(-59), true])
  })

  it('reports an active job that cannot be read before it is replaced', async () => {
    const active = jobAt(-60)
    const find = async (): Promise<Job> => {
      throw new Error('no answer')
    }
    const { events, error } = await run(cronJob({ concurrencyPolicy: 'Replace' }, { active: [reference(active)] }), [active], 1, { find })
    expect([events, String(error)]).to.deep.equal([['Warning FailedGet: Get job: no answer'], 'Error: no answer'])
  })

  it('removes jobs that are gone from the list of active ones', async () => {
    const { status, events } = await run(cronJob({ suspend: true }, { active: [reference(jobAt(-60))] }), [], 1)
    expect([status.active, events]).to.deep.equal([[], ['Normal MissingJob: Active job went missing: nightly-29671740']])
  })

  it('reports an active job that is not in the list', async () => {
    expect((await run(cronJob({ suspend: true }), [jobAt(-60)], 1)).events).to.deep.equal([
      'Warning UnexpectedJob: Saw a job that the controller did not create or forgot: nightly-29671740',
    ])
  })

  it('deletes the oldest finished jobs beyond the limits', async () => {
    const jobs = [jobAt(-30, 'Complete'), jobAt(-90, 'Complete'), jobAt(-60, 'Complete'), jobAt(-20, 'Failed'), jobAt(-10)]
    const { removed } = await run(cronJob({ suspend: true, successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 }), jobs, 1)
    expect(removed).to.deep.equal(['nightly-29671710', 'nightly-29671740', 'nightly-29671780'])
  })

  it('lists a job that an earlier pass has created', async () => {
    const job = jobAt(0)
    const { status, events } = await run(cronJob({}), [], 1, { create: async () => undefined, existing: async () => job })
    expect([status.active?.map(({ name }) => name), events]).to.deep.equal([[job.metadata.name], []])
  })

  it('reports a job that could not be deleted', async () => {
    const active = jobAt(-60)
    const { error, events } = await run(cronJob({ concurrencyPolicy: 'Replace' }, { active: [reference(active)] }), [active], 1, {
      remove: async () => new Error('refused'),
    })
    expect([events, (error as Error).message]).to.deep.equal([
      ['Warning FailedDelete: Deleted job: refused'],
      'could not replace job ns/nightly-29671740',
    ])
  })

  it('writes the scheduled time in the time zone of the CronJob', () => {
    const { metadata } = runAtOnce(jobOf(cronJob({ timeZone: 'America/St_Johns' }), HOUR, OWNER, true))
    expect(metadata.annotations).to.deep.equal({ 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-06-01T07:30:00-02:30' })
    expect([metadata.labels, runAtOnce(jobOf(cronJob({}), HOUR, OWNER, false)).metadata.annotations]).to.deep.equal([{ a: 'b' }, {}])
  })
})
