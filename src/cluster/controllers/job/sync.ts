import type { Job, JobCondition, JobStatus } from '../../../api/batch/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { nextBackgroundTurn, turnIsSpent } from '../../../lib/turn.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { formatTime } from '../../../meta/time.ts'
import { finalCondition, jobCondition, successCondition, trueCondition, withCondition } from './conditions.ts'
import { type JobContext, type JobSync, jobContext } from './context.ts'
import { type PodChange, podChangeOf, type Verdict, verdictOf } from './decide.ts'
import { isSuspended } from './rules.ts'
import { mayFinish, trackPods, withoutReleased } from './tracking.ts'

/** Outcome of requests for several pods. */
export interface PodOutcome {
  /** Number of pods that were created or deleted. */
  readonly done: number
  /** Number of deleted pods that were ready. */
  readonly ready: number
  /** First error. Undefined if all succeeded. */
  readonly error: unknown
}

/** Requests and events of a pass over a job. */
export interface JobEffects {
  /** Creates a pod for each index. @param replaced the failed pod whose number of failures the new one continues. */
  create(indexes: readonly (number | undefined)[], replaced: (index: number) => Pod | undefined): Promise<PodOutcome>
  /** Deletes pods. @param releases whether their finalizer is removed as well. */
  remove(pods: readonly Pod[], releases: boolean): Promise<PodOutcome>
  /** Removes the finalizer of pods. Returns the uids of those that have lost it. */
  release(pods: readonly Pod[]): Promise<{ readonly released: ReadonlySet<string>; readonly error: unknown }>
  /** Writes the status. Returns the written job. */
  write(job: Job): Promise<Job>
  record(type: 'Normal' | 'Warning', reason: string, message: string): void
  /** Looks at the job again after some milliseconds. */
  checkAfter(milliseconds: number): void
  /** Keeps the back-off record of the context for the next pass. */
  keepBackoff(context: JobContext): void
}

/** State of the job after its pods were created or deleted. */
interface Change {
  readonly active: number
  readonly ready: number
  readonly terminating: number
  readonly finished: JobCondition | undefined
  readonly status: JobStatus
  readonly isStatusChanged: boolean
  readonly error: unknown
}

/** One pass over a job that is not finished. Rejects with the first error of its requests. */
export async function syncJob(sync: JobSync, effects: JobEffects): Promise<void> {
  const { now } = sync
  const isStarting = !sync.job.status.startTime && !isSuspended(sync.job)
  const status: JobStatus = {
    ...sync.job.status,
    uncountedTerminatedPods: sync.job.status.uncountedTerminatedPods ?? {},
    ...(isStarting && { startTime: formatTime(now) }),
  }
  const context = jobContext({ ...sync, job: { ...sync.job, status } })
  await turnForPods()
  const verdict = verdictOf(context)
  if (verdict.deadlineIn !== undefined) effects.checkAfter(verdict.deadlineIn)
  const change = verdict.finished ? await endPods(context, verdict.finished, effects) : await continueJob(context, verdict, effects)
  await turnForPods()
  await track(context, verdict, change, effects)
  if (change.error !== undefined) throw change.error
}

/** A stage of a pass looks at all pods of a job, which may be thousands: the next one begins in another turn then. */
const turnForPods = async (): Promise<void> => {
  if (turnIsSpent()) await nextBackgroundTurn()
}

/** Deletes the active pods of a job that ends. */
async function endPods(context: JobContext, finished: JobCondition, effects: JobEffects): Promise<Change> {
  const { active, job, isSatisfied } = context
  const { done, ready, error } = await effects.remove(active, false)
  return {
    ...countsOf(context, active.length - done, done, ready),
    // The job is not finished while pods may exist that have not been seen.
    finished: done === active.length && isSatisfied ? finished : undefined,
    status: job.status,
    isStatusChanged: false,
    error,
  }
}

/** Creates or deletes pods of a job that continues, and decides whether it is complete or suspended. */
async function continueJob(context: JobContext, verdict: Verdict, effects: JobEffects): Promise<Change> {
  const { job, rules, now, isSatisfied } = context
  const mayChange = isSatisfied && job.metadata.deletionTimestamp === undefined
  const counts = mayChange
    ? await changePods(context, verdict, podChangeOf(context, verdict), effects)
    : countsOf(context, context.active.length, 0, 0)
  const { completions } = job.spec
  const isComplete = counts.active === 0 && (completions === undefined ? verdict.succeeded > 0 : verdict.succeeded >= completions)
  const unchanged = { ...counts, finished: undefined, status: job.status, isStatusChanged: false }
  if (isComplete) return { ...unchanged, finished: successCondition(rules, now) }
  const conditions = mayChange && withCondition(job.status.conditions ?? [], suspensionOf(job, now))
  if (!conditions) return unchanged
  const resumes = !isSuspended(job)
  if (resumes) effects.record('Normal', 'Resumed', 'Job resumed')
  else effects.record('Normal', 'Suspended', 'Job suspended')
  const { startTime, ...others } = job.status
  const status = {
    ...others,
    conditions,
    ...(resumes ? { startTime: formatTime(now) } : startTime !== undefined && !rules.clearsStartTime && { startTime }),
  }
  return { ...unchanged, status, isStatusChanged: true }
}

const suspensionOf = (job: Job, now: number): JobCondition =>
  isSuspended(job)
    ? jobCondition('Suspended', 'True', 'JobSuspended', 'Job suspended', now)
    : jobCondition('Suspended', 'False', 'JobResumed', 'Job resumed', now)

type Counts = Pick<Change, 'active' | 'ready' | 'terminating' | 'error'>

async function changePods(context: JobContext, { indexes }: Verdict, change: PodChange, effects: JobEffects): Promise<Counts> {
  const active = context.active.length
  switch (change.do) {
    case 'nothing':
      return countsOf(context, active, 0, 0)
    case 'delete': {
      const { done, ready, error } = await effects.remove(change.pods, true)
      return { ...countsOf(context, active - done, done, ready), error }
    }
    case 'create': {
      const { done, error } = await effects.create(change.indexes, index => indexes?.delayed.get(index))
      return { ...countsOf(context, active + done, 0, 0), error }
    }
    case 'wait':
      effects.checkAfter(change.milliseconds)
      // While a replacement waits, upstream reports no active pods.
      return countsOf(context, 0, 0, 0)
  }
}

const countsOf = ({ ready, terminating }: JobContext, active: number, deleted: number, deletedReady: number): Counts => ({
  active,
  ready: ready - deletedReady,
  terminating: terminating.length + deleted,
  error: undefined,
})

/** Counts the pods that have ended, removes their finalizers, and writes the status before and after that. */
async function track(context: JobContext, { indexes }: Verdict, change: Change, effects: JobEffects): Promise<void> {
  const { job, rules, now } = context
  const { finished, active, ready, terminating } = change
  const old = job.status
  const { active: _active, terminating: _terminating, ...others } = change.status
  const counted: JobStatus = {
    ...others,
    ...(active > 0 && { active }),
    ready,
    ...(rules.podReplacementPolicy && { terminating }),
  }
  const isCountChanged = (old.active ?? 0) !== active || old.ready !== ready || old.terminating !== counted.terminating
  const tracking = trackPods(context, counted, indexes, finished)
  const interim = withInterim({ ...job, status: tracking.status }, finished)
  let written: Job = { ...job, status: interim ?? tracking.status }
  if (isCountChanged || change.isStatusChanged || tracking.isChanged || interim) {
    written = await effects.write(written)
    effects.keepBackoff(context)
  }
  const { released, error } =
    tracking.release.length > 0 ? await effects.release(tracking.release) : { released: new Set<string>(), error: undefined }
  const held = new Set([...tracking.held].filter(uid => !released.has(uid)))
  const settled = withoutReleased(written.status, held)
  const next: Job = { ...written, status: settled }
  if (error !== undefined) {
    if (settled !== written.status) await effects.write(next)
    throw error
  }
  const end = finished && finalCondition(finished, now)
  const isEnded = end !== undefined && !tracking.isPartial && mayFinish(next, terminating, rules.delaysTerminalCondition)
  const last: Job = isEnded ? { ...next, status: withEnd(settled, end) } : next
  if (!deepEqual(last.status, written.status)) await effects.write(last)
  if (isEnded) recordEnd(last, end, effects)
}

/**
 * Returns the status with the condition that precedes the final one. Undefined if it has that condition, or needs none.
 */
function withInterim(job: Job, finished: JobCondition | undefined): JobStatus | undefined {
  if (finished?.type !== 'FailureTarget' && finished?.type !== 'SuccessCriteriaMet') return undefined
  if (trueCondition(job, finished.type)) return undefined
  return { ...job.status, conditions: [...(job.status.conditions ?? []), finished] }
}

function withEnd(status: JobStatus, end: JobCondition): JobStatus {
  const conditions = withCondition(status.conditions ?? [], end) ?? status.conditions ?? []
  return { ...status, conditions, ...(end.type === 'Complete' && { completionTime: end.lastTransitionTime }) }
}

function recordEnd({ spec: { completions }, status }: Job, { type, reason = '', message = '' }: JobCondition, effects: JobEffects): void {
  if (type !== 'Complete') {
    effects.record('Warning', reason, message)
    return
  }
  if (completions !== undefined && (status.succeeded ?? 0) > completions)
    effects.record('Warning', 'TooManySucceededPods', 'Too many succeeded pods running after completion count reached')
  effects.record('Normal', 'Completed', 'Job completed')
}
