import type { CronJob, CronJobStatus, Job } from '../../../api/batch/v1.types.ts'
import type { ObjectReference } from '../../../api/core/v1.types.ts'
import { type CronSchedule, parseSchedule } from '../../../lib/cron-schedule.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { quote } from '../../../lib/go-quote.ts'
import { runInTurns } from '../../../lib/steps.ts'
import { isTimeZone } from '../../../lib/time-zone.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { formatTime, timeMillis } from '../../../meta/time.ts'
import { finishedCondition } from '../../shared/jobs.ts'
import { JOBS } from '../../shared/kinds.ts'
import { objectReference } from '../../shared/object-reference.ts'
import { expiredJobs } from './history.ts'
import { jobName } from './job.ts'
import { recentTime, untilNext } from './schedule.ts'

/** Input of one pass over a CronJob. */
export interface CronSync {
  readonly cronJob: CronJob
  /** Jobs that it controls. */
  readonly jobs: readonly Job[]
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Release that is emulated. */
  readonly release: Release
}

/** Requests and events of a pass over a CronJob. */
export interface CronEffects {
  /** Reads the CronJob from the server. */
  refresh(): Promise<CronJob>
  /** Reads a job from the server. Undefined if it is gone. */
  find(reference: ObjectReference): Promise<Job | undefined>
  /**
   * Creates the job of a scheduled time. Resolves to undefined if its name is taken. @param time seconds since the
   * epoch.
   */
  create(time: number): Promise<Job | undefined>
  /** Reads the job that has the name of a scheduled time. Resolves to undefined if it belongs to another owner. */
  existing(time: number): Promise<Job | undefined>
  /** Deletes a job. Resolves to the error if that fails. */
  remove(job: Pick<Job, 'metadata'>): Promise<unknown>
  record(type: 'Normal' | 'Warning', reason: string, message: string): void
}

/** Outcome of a pass. */
export interface CronOutcome {
  readonly status: CronJobStatus
  readonly isStatusChanged: boolean
  /** Milliseconds after which the CronJob is looked at again. Undefined if that is not needed. */
  readonly checkAfter: number | undefined
  /** Error of a request. The status is written nevertheless. */
  readonly error: unknown
}

/**
 * One pass over a CronJob: deletes old jobs, updates the list of active ones, and starts a job if a scheduled time has
 * passed.
 */
export const syncCronJob = (sync: CronSync, effects: CronEffects): Promise<CronOutcome> => new CronPass(sync, effects).run()

class CronPass {
  readonly #sync: CronSync
  readonly #effects: CronEffects
  #cronJob: CronJob
  #status: CronJobStatus
  #isChanged = false

  constructor(sync: CronSync, effects: CronEffects) {
    this.#sync = sync
    this.#effects = effects
    this.#cronJob = sync.cronJob
    this.#status = { ...sync.cronJob.status }
  }

  async run(): Promise<CronOutcome> {
    try {
      await this.#removeOldJobs()
      await this.#followJobs()
      return this.#outcome(await this.#schedule())
    } catch (error) {
      return { ...this.#outcome(undefined), error }
    }
  }

  #outcome(checkAfter: number | undefined): CronOutcome {
    return { status: this.#status, isStatusChanged: this.#isChanged, checkAfter, error: undefined }
  }

  async #removeOldJobs(): Promise<void> {
    for (const job of expiredJobs(this.#cronJob, this.#sync.jobs)) if (await this.#remove(job)) this.#isChanged = true
  }

  /** Compares the list of active jobs with the jobs. */
  async #followJobs(): Promise<void> {
    for (const job of this.#sync.jobs) await this.#followJob(job)
    const uids = new Set(this.#sync.jobs.map(({ metadata }) => metadata.uid))
    for (const reference of this.#status.active ?? []) {
      if (uids.has(reference.uid) || (await this.#effects.find(reference))) continue
      this.#effects.record('Normal', 'MissingJob', `Active job went missing: ${reference.name ?? ''}`)
      this.#setInactive(reference.uid)
      this.#isChanged = true
    }
  }

  async #followJob(job: Job): Promise<void> {
    const { uid, name = '' } = job.metadata
    const finished = finishedCondition(job)
    const isListed = isActive(this.#status, uid)
    if (!isListed && !finished) {
      const fresh = await this.#effects.refresh()
      if (isActive(fresh.status, uid)) {
        this.#cronJob = fresh
        this.#status = { ...fresh.status }
      } else this.#effects.record('Warning', 'UnexpectedJob', `Saw a job that the controller did not create or forgot: ${name}`)
      return
    }
    const isSince131 = isSince(this.#sync.release, '1.31')
    if (isListed && finished) {
      this.#setInactive(uid)
      this.#effects.record(
        'Normal',
        'SawCompletedJob',
        `Saw completed job: ${name}, ${isSince131 ? 'condition' : 'status'}: ${finished.type}`,
      )
      this.#isChanged = true
      // Earlier releases note the success in the pass that follows from this one.
      if (!isSince131) return
    }
    if (finished?.type === 'Complete') this.#noteSuccess(job)
  }

  #noteSuccess({ status: { completionTime } }: Job): void {
    const last = timeMillis(this.#status.lastSuccessfulTime)
    const completed = timeMillis(completionTime)
    if (last !== undefined && (completed === undefined || completed <= last)) return
    if (completionTime) this.#status.lastSuccessfulTime = completionTime
    this.#isChanged = true
  }

  /** Starts a job if it is time. Returns the milliseconds until the next pass. */
  async #schedule(): Promise<number | undefined> {
    const { metadata, spec } = this.#cronJob
    if (metadata.deletionTimestamp !== undefined) return undefined
    if (spec.timeZone !== undefined && !isTimeZone(spec.timeZone)) {
      this.#warn('UnknownTimeZone', `invalid timeZone: ${quote(spec.timeZone)}: unknown time zone ${spec.timeZone}`)
      return undefined
    }
    if (spec.suspend) return undefined
    const schedule = await this.#parse()
    if (!schedule) return undefined
    const time = await this.#dueTime(schedule)
    if (time === 'invalid') return undefined
    if (time !== undefined && this.#mayStart(time)) {
      await this.#replaceJobs()
      if (!(await this.#start(time))) return undefined
    }
    return runInTurns(untilNext(this.#cronJobWithStatus(), this.#seconds, schedule))
  }

  get #seconds(): number {
    return this.#sync.now / 1000
  }

  #cronJobWithStatus(): CronJob {
    return { ...this.#cronJob, status: this.#status }
  }

  async #parse(): Promise<CronSchedule | undefined> {
    const { schedule, timeZone } = this.#cronJob.spec
    if (schedule.includes('TZ'))
      this.#warn(
        'UnsupportedSchedule',
        `CRON_TZ or TZ used in schedule ${quote(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`,
      )
    try {
      return await runInTurns(scheduleOf(schedule, timeZone))
    } catch (error) {
      this.#warn('UnparseableSchedule', `unparseable schedule: ${quote(schedule)} : ${errorMessage(error)}`)
      return undefined
    }
  }

  /** Latest scheduled time that has passed. */
  async #dueTime(schedule: CronSchedule): Promise<number | undefined | 'invalid'> {
    try {
      const { recent, missed } = await runInTurns(recentTime(this.#cronJobWithStatus(), this.#seconds, schedule, true))
      if (recent !== undefined && missed === 'many')
        this.#warn('TooManyMissedTimes', 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew')
      return recent
    } catch (error) {
      this.#warn('InvalidSchedule', `invalid schedule: ${this.#cronJob.spec.schedule} : ${errorMessage(error)}`)
      return 'invalid'
    }
  }

  /**
   * Whether the job of a scheduled time is to be started: it is neither too late nor started already, and the policy
   * allows it.
   */
  #mayStart(time: number): boolean {
    const { startingDeadlineSeconds, concurrencyPolicy } = this.#cronJob.spec
    if (startingDeadlineSeconds !== undefined && time + Number(startingDeadlineSeconds) < this.#seconds) {
      this.#warn('MissSchedule', `Missed scheduled time to start a job: ${rfc1123(time)}`)
      return false
    }
    const { active = [], lastScheduleTime } = this.#status
    const name = jobName(this.#cronJob, time)
    if (active.some(reference => reference.name === name) || timeMillis(lastScheduleTime) === time * 1000) return false
    if (concurrencyPolicy !== 'Forbid' || active.length === 0) return true
    this.#effects.record(
      'Normal',
      'JobAlreadyActive',
      'Not starting job because prior execution is running and concurrency policy is Forbid',
    )
    return false
  }

  /** Deletes active jobs if the policy says so. */
  async #replaceJobs(): Promise<void> {
    if (this.#cronJob.spec.concurrencyPolicy !== 'Replace') return
    for (const reference of this.#status.active ?? []) {
      const job = await this.#get(reference)
      if (!(await this.#remove(job))) throw new Error(`could not replace job ${reference.namespace}/${reference.name}`)
      this.#isChanged = true
    }
  }

  /** Reads a job. Rejects if that fails or the job is gone, with an event. */
  async #get(reference: ObjectReference): Promise<Job> {
    try {
      const job = await this.#effects.find(reference)
      if (job) return job
      throw new Error(`jobs.batch ${quote(reference.name ?? '')} not found`)
    } catch (error) {
      this.#warn('FailedGet', `Get job: ${errorMessage(error)}`)
      throw error
    }
  }

  /**
   * Creates the job of a scheduled time, or finds the one that an earlier pass has created. Reports whether the status
   * lists a new job.
   */
  async #start(time: number): Promise<boolean> {
    const created = await this.#effects.create(time)
    const job = created ?? (await this.#effects.existing(time))
    if (!job || (!created && isActive(this.#status, job.metadata.uid))) return false
    if (created) this.#effects.record('Normal', 'SuccessfulCreate', `Created job ${job.metadata.name ?? ''}`)
    this.#status.active = [...(this.#status.active ?? []), objectReference(JOBS, job)]
    this.#status.lastScheduleTime = formatTime(time * 1000)
    this.#isChanged = true
    return true
  }

  async #remove(job: Job): Promise<boolean> {
    const error = await this.#effects.remove(job)
    if (error !== undefined) {
      this.#warn('FailedDelete', `Deleted job: ${errorMessage(error)}`)
      return false
    }
    this.#setInactive(job.metadata.uid)
    this.#effects.record('Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name ?? ''}`)
    return true
  }

  #setInactive(uid: string | undefined): void {
    this.#status.active = (this.#status.active ?? []).filter(reference => reference.uid !== uid)
  }

  #warn(reason: string, message: string): void {
    this.#effects.record('Warning', reason, message)
  }
}

/**
 * Parses a schedule, whose times are in the time zone of the field unless its text has one. Throws an Error if it
 * cannot be parsed.
 */
export function* scheduleOf(schedule: string, timeZone: string | undefined): ReturnType<typeof parseSchedule> {
  const parsed = yield* parseSchedule(schedule)
  return timeZone === undefined || schedule.includes('TZ') ? parsed : { ...parsed, zone: timeZone }
}

const isActive = ({ active = [] }: CronJobStatus, uid: string | undefined): boolean => active.some(reference => reference.uid === uid)

/** Formats a time as Go's RFC1123Z, in UTC. */
const rfc1123 = (time: number): string => new Date(time * 1000).toUTCString().replace('GMT', '+0000')
