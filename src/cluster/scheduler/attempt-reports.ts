import type { Pod } from '../../api/core/v1.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { formatTime } from '../../meta/time.ts'
import type { ClusterEnvironment } from '../shared/environment.ts'
import { PODS } from '../shared/kinds.ts'
import type { SeriesRecorder } from '../shared/series-recorder.ts'
import { DEFAULT_SCHEDULER } from './default-profile.ts'
import { type AttemptFailure, failureStatus } from './failure-status.ts'
import type { PodEvent } from './framework.ts'
import type { QueuedPod } from './queue.ts'
import type { AttemptResult, SchedulerMetrics } from './scheduler-metrics.ts'

/** Number of attempts from which on pods share a child of a metric. */
const MOST_ATTEMPTS = 15
/** Longest note of an event. */
const MOST_NOTE = 1024

/** Returns the name of the profile that a pod chooses. */
export const schedulerName = ({ spec }: Pod): string => spec.schedulerName || DEFAULT_SCHEDULER

/** Reports of attempts to schedule pods, as metrics, events and conditions of the pods. */
export class AttemptReports {
  readonly #env: ClusterEnvironment
  readonly #recorder: SeriesRecorder
  readonly #metrics: SchedulerMetrics

  constructor(env: ClusterEnvironment, recorder: SeriesRecorder, metrics: SchedulerMetrics) {
    this.#env = env
    this.#recorder = recorder
    this.#metrics = metrics
  }

  /** Records an event about a pod. */
  record(pod: Pod, event: PodEvent): void {
    this.#recorder.record({ kind: PODS, about: pod, controller: schedulerName(pod), ...event })
  }

  /** Counts pods that plugins reject (1), or no longer do (-1). */
  countRejections(pod: Pod, plugins: ReadonlySet<string>, change: 1 | -1): void {
    for (const plugin of plugins) this.#metrics.unschedulable.child(plugin, schedulerName(pod)).value += change
  }

  /** Reports that a pod was bound to a node. */
  bound(queued: QueuedPod, node: string): void {
    const { pod, attempts, firstEnteredAt } = queued
    this.#countAttempt(queued, 'scheduled')
    this.#metrics.podAttempts.child().observe(attempts)
    this.#metrics.sliSeconds
      .child(attempts < MOST_ATTEMPTS ? String(attempts) : `${MOST_ATTEMPTS}+`)
      .observe((this.#env.clock.now() - firstEnteredAt) / 1000)
    this.record(pod, { type: 'Normal', reason: 'Scheduled', action: 'Binding', note: `Successfully assigned ${objectKey(pod)} to ${node}` })
  }

  /** Reports that a pod is not scheduled because it is being deleted. Source: skipPodSchedule. */
  skipped(pod: Pod): void {
    this.#recordFailure(pod, `skip schedule deleting pod: ${objectKey(pod)}`)
  }

  /**
   * Reports why a pod could not be scheduled. Returns the write of its condition; undefined if the condition says so
   * already.
   */
  failed(queued: QueuedPod, failure: AttemptFailure): (() => Promise<void>) | undefined {
    const { pod } = queued
    const { reason, message } = failure
    this.#countAttempt(queued, reason === 'Unschedulable' ? 'unschedulable' : 'error')
    const note = message.length > MOST_NOTE ? `${message.slice(0, MOST_NOTE - 4)} ...` : message
    this.#recordFailure(pod, note)
    const status = failureStatus(pod, failure, formatTime(this.#env.clock.now()), this.#env.features)
    if (status === undefined) return undefined
    return async () => {
      const { namespace = '', name = '' } = pod.metadata
      try {
        await this.#env.client.patch(PODS, { namespace, name, subresource: 'status' }, { status }, 'strategic')
      } catch (error) {
        this.#env.logger.debug(2, 'the condition of an unschedulable pod was not written', {
          pod: objectKey(pod),
          error: errorMessage(error),
        })
      }
    }
  }

  #recordFailure(pod: Pod, note: string): void {
    this.record(pod, { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', note })
  }

  #countAttempt({ pod, takenAt }: QueuedPod, result: AttemptResult): void {
    this.#metrics.attempts.child(schedulerName(pod), result).value++
    this.#metrics.attemptSeconds.child(schedulerName(pod), result).observe((performance.now() - takenAt) / 1000)
  }
}
