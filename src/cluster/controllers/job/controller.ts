import type { Job } from '../../../api/batch/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { matchesLabels } from '../../../meta/label-selector.ts'
import { isStatusError, undefinedIfNotFound } from '../../../meta/status.ts'
import { claimObjects } from '../../shared/adoption.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import { Expectations } from '../../shared/expectations.ts'
import { inBatches } from '../../shared/in-batches.ts'
import type { Informer } from '../../shared/informer.ts'
import { JOBS, PODS } from '../../shared/kinds.ts'
import { followOwnedPods } from '../../shared/owned-pods.ts'
import { controllerOf } from '../../shared/owner.ts'
import { isNamespaceTerminating, PodControl } from '../../shared/pod-control.ts'
import { isPodReady } from '../../shared/pods.ts'
import { recountPause } from '../../shared/recount-pause.ts'
import { selectorOf } from '../../shared/selectors.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { type BackoffRecord, NO_FAILURES } from './backoff.ts'
import { isJobFinished } from './conditions.ts'
import { uidOf } from './context.ts'
import { hasTrackingFinalizer, TRACKING_FINALIZER } from './job-pods.ts'
import { podTemplate, setIndex } from './pod-template.ts'
import { isManagedElsewhere, type JobRules, jobRulesOf } from './rules.ts'
import { type JobEffects, type PodOutcome, syncJob } from './sync.ts'

const WORKERS = 5
const NO_UIDS: ReadonlySet<string> = new Set()

/**
 * Runs the pods of Jobs to completion. A key is a Job; a key of the second queue is a pod that has the finalizer but no
 * job that would remove it.
 */
export const jobController: ClusterPart = (env, signal) => new JobController(env, signal).run()

class JobController {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #rules: JobRules
  readonly #jobs: Informer<Job>
  readonly #pods: Informer<Pod>
  readonly #expectations: Expectations
  readonly #events: EventRecorder
  readonly #control: PodControl
  readonly #queue: KeyQueue
  readonly #orphans: KeyQueue
  /** Failures by job. */
  readonly #backoffs = new Map<string, BackoffRecord>()
  /** Uids of pods by job whose finalizer was removed, which the informer has not reported yet. */
  readonly #released = new Map<string, Set<string>>()

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#rules = jobRulesOf(env.features)
    this.#jobs = env.informers.of(JOBS)
    this.#pods = env.informers.of(PODS)
    this.#expectations = new Expectations(env.clock)
    this.#events = recorderOf(env, 'job-controller', signal)
    this.#control = new PodControl(env.client, this.#events)
    this.#queue = queueOf(env, 'job', signal, { workers: WORKERS, work: key => this.#sync(key) })
    this.#orphans = queueOf(env, 'job_orphan_pod', signal, { workers: 1, work: key => this.#releaseOrphan(key) })
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#jobs, this.#pods], this.#signal))) return
    this.#jobs.onGradually({
      added: job => this.#queue.add(objectKey(job)),
      updated: job => {
        this.#queue.add(objectKey(job))
        if (isJobFinished(job)) this.#enqueueOrphans(job)
      },
      deleted: job => {
        this.#queue.add(objectKey(job))
        this.#enqueueOrphans(job)
      },
    })
    this.#pods.onGradually({
      added: pod => this.#checkOrphan(pod),
      updated: pod => this.#checkOrphan(pod),
    })
    followOwnedPods({
      pods: this.#pods,
      owners: this.#jobs,
      kind: JOBS,
      matches: (job, pod) => matchesLabels(selectorOf(job.spec.selector), pod.metadata.labels),
      created: key => this.#expectations.creationObserved(key),
      deleted: (key, pod) => {
        this.#expectations.deletionObserved(key, objectKey(pod))
        this.#observeRelease(key, pod)
      },
      changed: (key, pod) => this.#observeRelease(key, pod),
      enqueue: key => this.#queue.addAfterPause(key, recountPause(this.#jobs.store.get(key)?.spec.parallelism ?? 1)),
    })
    await untilAborted(this.#signal)
  }

  #observeRelease(key: string, pod: Pod): void {
    if (!hasTrackingFinalizer(pod)) this.#released.get(key)?.delete(uidOf(pod))
  }

  async #sync(key: string): Promise<void> {
    const job = this.#jobs.store.get(key)
    if (!job) {
      this.#expectations.forget(key)
      this.#released.delete(key)
      this.#backoffs.delete(key)
      return
    }
    if (isManagedElsewhere(job, this.#rules)) return
    if (isJobFinished(job)) {
      this.#backoffs.delete(key)
      return
    }
    const { completionMode } = job.spec
    if (completionMode !== undefined && completionMode !== '' && completionMode !== 'Indexed' && completionMode !== 'NonIndexed') {
      this.#events.record(JOBS, job, 'Warning', 'UnknownCompletionMode', 'Skipped Job sync because completion mode is unknown')
      return
    }
    const isSatisfied = this.#expectations.areSatisfied(key)
    const sync = {
      job,
      pods: await this.#claim(job),
      rules: this.#rules,
      now: this.#env.clock.now(),
      isSatisfied,
      beingReleased: this.#released.get(key) ?? NO_UIDS,
      backoff: this.#backoffs.get(key) ?? NO_FAILURES,
    }
    await syncJob(sync, this.#effects(key, job))
  }

  /** Returns the pods of a job, after it has adopted and released pods. */
  #claim(job: Job): Promise<Pod[]> {
    const { uid = '', namespace = '' } = job.metadata
    return claimObjects([...this.#pods.store.controlledBy(uid), ...this.#pods.store.orphansIn(namespace)], {
      client: this.#env.client,
      controllerKind: JOBS,
      controller: job,
      kind: PODS,
      selector: selectorOf(job.spec.selector),
      finalizers: [TRACKING_FINALIZER],
    })
  }

  #effects(key: string, job: Job): JobEffects {
    return {
      create: (indexes, replaced) => this.#create(key, job, indexes, replaced),
      remove: (pods, releases) => this.#remove(key, job, pods, releases),
      release: pods => this.#release(key, pods),
      write: next => this.#env.client.update(JOBS, next, 'status'),
      record: (type, reason, message) => this.#events.record(JOBS, job, type, reason, message),
      checkAfter: milliseconds => this.#queue.addAfter(key, milliseconds),
      keepBackoff: ({ nextBackoff }) => void this.#backoffs.set(key, nextBackoff),
    }
  }

  async #create(
    key: string,
    job: Job,
    indexes: readonly (number | undefined)[],
    replaced: (index: number) => Pod | undefined,
  ): Promise<PodOutcome> {
    const template = podTemplate(job, this.#rules)
    const left = indexes.values()
    this.#expectations.expectCreations(key, indexes.length)
    const { successes, error } = await inBatches(indexes.length, async () => {
      const index = left.next().value
      try {
        await this.#control.create(JOBS, job, template, pod => {
          if (index !== undefined) setIndex(pod, job, index, replaced(index), this.#rules)
        })
      } catch (failure) {
        // No pod can be created in the namespace, and none is needed.
        if (!isNamespaceTerminating(failure)) throw failure
        this.#expectations.creationObserved(key)
      }
    })
    for (let skipped = indexes.length - successes; skipped > 0; skipped--) this.#expectations.creationObserved(key)
    return { done: successes, ready: 0, error }
  }

  async #remove(key: string, job: Job, pods: readonly Pod[], releases: boolean): Promise<PodOutcome> {
    if (releases) this.#expectations.expectDeletions(key, pods.map(objectKey))
    const errors: unknown[] = []
    await Promise.all(
      pods.map(async pod => {
        try {
          if (releases && hasTrackingFinalizer(pod)) await this.#removeFinalizer(pod)
          await this.#control.delete(JOBS, job, pod)
        } catch (error) {
          this.#expectations.deletionObserved(key, objectKey(pod))
          if (!isStatusError(error, 'NotFound')) errors.push(error)
        }
      }),
    )
    return { done: pods.length - errors.length, ready: pods.filter(isPodReady).length, error: errors[0] }
  }

  async #release(key: string, pods: readonly Pod[]): Promise<{ readonly released: ReadonlySet<string>; readonly error: unknown }> {
    const expected = this.#released.get(key) ?? new Set()
    this.#released.set(key, expected)
    for (const pod of pods) expected.add(uidOf(pod))
    const released = new Set<string>()
    const errors: unknown[] = []
    await Promise.all(
      pods.map(async pod => {
        try {
          await this.#removeFinalizer(pod)
          released.add(uidOf(pod))
        } catch (error) {
          expected.delete(uidOf(pod))
          if (isStatusError(error, 'NotFound')) released.add(uidOf(pod))
          else errors.push(error)
        }
      }),
    )
    return { released, error: errors[0] }
  }

  async #removeFinalizer({ metadata: { namespace = '', name = '', uid = '' } }: Pod): Promise<void> {
    await this.#env.client.patch(
      PODS,
      { namespace, name },
      { metadata: { uid, '$deleteFromPrimitiveList/finalizers': [TRACKING_FINALIZER] } },
      'strategic',
    )
  }

  /** Enqueues the pods of a job that is gone or finished. */
  #enqueueOrphans({ metadata: { uid = '' } }: Job): void {
    for (const pod of this.#pods.store.controlledBy(uid)) if (hasTrackingFinalizer(pod)) this.#orphans.add(objectKey(pod))
  }

  #checkOrphan(pod: Pod): void {
    if (this.#isOrphan(pod)) this.#orphans.add(objectKey(pod))
  }

  /** Whether a pod has the finalizer, but no job that would remove it. */
  #isOrphan(pod: Pod): boolean {
    if (!hasTrackingFinalizer(pod)) return false
    const reference = controllerOf(pod)
    if (!reference) return true
    if (reference.kind !== JOBS.kind || reference.apiVersion !== 'batch/v1') return false
    const job = this.#jobs.store.get(`${pod.metadata.namespace}/${reference.name}`)
    if (job?.metadata.uid !== reference.uid) return true
    return isJobFinished(job) && !isManagedElsewhere(job, this.#rules)
  }

  async #releaseOrphan(key: string): Promise<void> {
    const pod = this.#pods.store.get(key)
    if (!pod || !this.#isOrphan(pod)) return
    await this.#removeFinalizer(pod).catch(undefinedIfNotFound)
  }
}
