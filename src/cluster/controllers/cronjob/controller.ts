import type { CronJob, Job } from '../../../api/batch/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { runInTurns, startInTurns } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { isStatusError, undefinedIfNotFound } from '../../../meta/status.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import type { Informer } from '../../shared/informer.ts'
import { CRON_JOBS, JOBS } from '../../shared/kinds.ts'
import { controllerOf, controllerReference } from '../../shared/owner.ts'
import { isNamespaceTerminating } from '../../shared/pod-control.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { jobName, jobOf } from './job.ts'
import { untilNext } from './schedule.ts'
import { type CronEffects, scheduleOf, syncCronJob } from './sync.ts'

const WORKERS = 5

/** Creates the jobs of CronJobs at their scheduled times. A key is a CronJob. */
export const cronJobController: ClusterPart = (env, signal) => new CronJobController(env, signal).run()

class CronJobController {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #cronJobs: Informer<CronJob>
  readonly #jobs: Informer<Job>
  readonly #events: EventRecorder
  readonly #queue: KeyQueue

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#cronJobs = env.informers.of(CRON_JOBS)
    this.#jobs = env.informers.of(JOBS)
    this.#events = recorderOf(env, 'cronjob-controller', signal)
    this.#queue = queueOf(env, 'cronjob', signal, { workers: WORKERS, work: key => this.#sync(key) })
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#cronJobs, this.#jobs], this.#signal))) return
    this.#cronJobs.on({
      added: cronJob => this.#queue.add(objectKey(cronJob)),
      updated: (cronJob, old) => {
        if (cronJob.spec.schedule === old.spec.schedule && cronJob.spec.timeZone === old.spec.timeZone) this.#queue.add(objectKey(cronJob))
        else void this.#reschedule(cronJob)
      },
      deleted: cronJob => this.#queue.add(objectKey(cronJob)),
    })
    const enqueueOwner = (job: Job): void => {
      const reference = controllerOf(job)
      if (reference?.kind !== CRON_JOBS.kind) return
      const key = `${job.metadata.namespace}/${reference.name}`
      if (this.#cronJobs.store.get(key)?.metadata.uid === reference.uid) this.#queue.add(key)
    }
    this.#jobs.on({
      added: enqueueOwner,
      updated(job, old) {
        if (controllerOf(job)?.uid !== controllerOf(old)?.uid) enqueueOwner(old)
        enqueueOwner(job)
      },
      deleted: enqueueOwner,
    })
    await untilAborted(this.#signal)
  }

  /** Waits for the next time of a new schedule. A time of it that has passed starts no job at once. */
  async #reschedule(cronJob: CronJob): Promise<void> {
    const { schedule, timeZone } = cronJob.spec
    try {
      const parsed = await runInTurns(scheduleOf(schedule, timeZone), this.#signal)
      const wait = await runInTurns(untilNext(cronJob, this.#env.clock.now() / 1000, parsed), this.#signal)
      if (wait !== undefined) this.#queue.addAfter(objectKey(cronJob), wait)
    } catch {
      if (!this.#signal.aborted)
        this.#events.record(CRON_JOBS, cronJob, 'Warning', 'UnParseableCronJobSchedule', `unparseable schedule for cronjob: ${schedule}`)
    }
  }

  async #sync(key: string): Promise<void> {
    const cronJob = this.#cronJobs.store.get(key)
    if (!cronJob) return
    const jobs = this.#jobs.store.controlledBy(cronJob.metadata.uid ?? '')
    const sync = { cronJob, jobs, now: this.#env.clock.now(), release: this.#env.features.release }
    const { status, isStatusChanged, checkAfter, error } = await syncCronJob(sync, this.#effects(cronJob))
    if (isStatusChanged) await this.#env.client.update(CRON_JOBS, { ...cronJob, status }, 'status')
    if (error !== undefined) throw error
    if (checkAfter !== undefined) this.#queue.addAfter(key, checkAfter)
  }

  #effects(cronJob: CronJob): CronEffects {
    const { client } = this.#env
    const { namespace = '', name = '' } = cronJob.metadata
    return {
      refresh: () => client.get(CRON_JOBS, namespace, name),
      find: reference => this.#find(reference.namespace ?? '', reference.name ?? ''),
      create: time => this.#create(cronJob, time),
      existing: async time => {
        const job = await client.get(JOBS, namespace, jobName(cronJob, time))
        return controllerOf(job)?.uid === cronJob.metadata.uid ? job : undefined
      },
      remove: async job => {
        try {
          await client.delete(JOBS, job.metadata.namespace ?? '', job.metadata.name ?? '', { propagationPolicy: 'Background' })
          return undefined
        } catch (error) {
          return error
        }
      },
      record: (type, reason, message) => this.#events.record(CRON_JOBS, cronJob, type, reason, message),
    }
  }

  async #find(namespace: string, name: string): Promise<Job | undefined> {
    return this.#env.client.get(JOBS, namespace, name).catch(undefinedIfNotFound)
  }

  async #create(cronJob: CronJob, time: number): Promise<Job | undefined> {
    const annotates = isSince(this.#env.features.release, '1.28')
    try {
      const job = await startInTurns(jobOf(cronJob, time, controllerReference(CRON_JOBS, cronJob), annotates))
      return await this.#env.client.create(JOBS, job)
    } catch (error) {
      if (isStatusError(error, 'AlreadyExists')) return undefined
      if (!isNamespaceTerminating(error))
        this.#events.record(CRON_JOBS, cronJob, 'Warning', 'FailedCreate', `Error creating job: ${errorMessage(error)}`)
      throw error
    }
  }
}
