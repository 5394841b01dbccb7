import { CounterFamily, GaugeFamily, HistogramFamily, type MetricFamily } from '../../lib/metrics.ts'
import { type Polled, PolledFamily } from '../../lib/polled-family.ts'
import type { StatusCode } from './framework.ts'

/** Outcome of an attempt to schedule a pod. */
export type AttemptResult = 'scheduled' | 'unschedulable' | 'error'

/** Outcome of an attempt to schedule a group of pods. */
export type GroupAttemptResult = AttemptResult | 'waiting_on_preemption'

/** Extension points whose plugins are measured together. */
export type ExtensionPoint = 'PreFilter' | 'Filter' | 'PostFilter' | 'PreScore' | 'Score' | 'Reserve' | 'PreBind' | 'Bind'

/** Takes the outcome of the plugins of an extension point and the time that they took, in milliseconds. */
export type PointObserver = (point: ExtensionPoint, status: PointStatus, milliseconds: number) => void

/** Outcome of the plugins of an extension point. */
export type PointStatus = StatusCode | 'Success' | 'Error'

/** Queues of waiting pods, as metrics name them. */
export type MetricQueue = 'active' | 'backoff' | 'unschedulable' | 'gated'

/** Values that are read when metrics are scraped. */
export interface SchedulerGauges {
  /** Number of waiting pods by queue. */
  pending(): Readonly<Record<MetricQueue, number>>
  /** Number of nodes, pods and assumed pods that are known. */
  cache(): { readonly nodes: number; readonly pods: number; readonly assumed_pods: number }
}

const exponential = (start: number, factor: number, count: number): number[] => Array.from({ length: count }, (_, i) => start * factor ** i)
/** Labels of an attempt. */
const ATTEMPT = ['profile', 'result'] as const

/** Metrics of the scheduler under upstream's names. Source: pkg/scheduler/metrics/metrics.go */
export class SchedulerMetrics {
  readonly attempts = new CounterFamily({
    name: 'scheduler_schedule_attempts_total',
    help: "Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be scheduled, while 'error' means an internal scheduler problem.",
    stability: 'STABLE',
    labels: ATTEMPT,
  })
  readonly attemptSeconds = new HistogramFamily({
    name: 'scheduler_scheduling_attempt_duration_seconds',
    help: 'Scheduling attempt latency in seconds (scheduling algorithm + binding)',
    stability: 'STABLE',
    labels: ATTEMPT,
    buckets: exponential(0.001, 2, 15),
  })
  readonly pointSeconds = new HistogramFamily({
    name: 'scheduler_framework_extension_point_duration_seconds',
    help: 'Latency for running all plugins of a specific extension point.',
    stability: 'STABLE',
    labels: ['extension_point', 'profile', 'status'],
    buckets: exponential(0.0001, 2, 12),
  })
  readonly algorithmSeconds = new HistogramFamily({
    name: 'scheduler_scheduling_algorithm_duration_seconds',
    help: 'Scheduling algorithm latency in seconds',
    stability: 'ALPHA',
    labels: [],
    buckets: exponential(0.001, 2, 15),
  })
  /** Observed only for pods that were scheduled. */
  readonly sliSeconds = new HistogramFamily({
    name: 'scheduler_pod_scheduling_sli_duration_seconds',
    help: 'E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue and might involve multiple scheduling attempts.',
    stability: 'BETA',
    labels: ['attempts'],
    buckets: exponential(0.01, 2, 20),
  })
  readonly podAttempts = new HistogramFamily({
    name: 'scheduler_pod_scheduling_attempts',
    help: 'Number of attempts to successfully schedule a pod.',
    stability: 'STABLE',
    labels: [],
    buckets: exponential(1, 2, 5),
  })
  readonly preemptionAttempts = new CounterFamily({
    name: 'scheduler_preemption_attempts_total',
    help: 'Total preemption attempts in the cluster till now',
    stability: 'STABLE',
    labels: [],
  })
  readonly preemptionVictims = new HistogramFamily({
    name: 'scheduler_preemption_victims',
    help: 'Number of selected preemption victims',
    stability: 'STABLE',
    labels: [],
    buckets: exponential(1, 2, 7),
  })
  readonly preemptions = new CounterFamily({
    name: 'scheduler_preemption_goroutines_execution_total',
    help: 'Number of preemption goroutines executed.',
    stability: 'ALPHA',
    labels: ['result'],
  })
  /** Counted when a pod enters a queue, by the event that has moved it there. */
  readonly incoming = new CounterFamily({
    name: 'scheduler_queue_incoming_pods_total',
    help: 'Number of pods added to scheduling queues by event and queue type.',
    stability: 'STABLE',
    labels: ['event', 'queue'],
  })
  readonly groupAttempts = new CounterFamily({
    name: 'scheduler_podgroup_schedule_attempts_total',
    help: "Number of attempts to schedule pod group, by the result. 'unschedulable' means a pod group could not be scheduled, while 'error' means an internal scheduler problem.",
    stability: 'ALPHA',
    labels: ATTEMPT,
  })
  readonly groupAttemptSeconds = new HistogramFamily({
    name: 'scheduler_podgroup_scheduling_attempt_duration_seconds',
    help: 'Pod group scheduling attempt latency in seconds',
    stability: 'ALPHA',
    labels: ATTEMPT,
    buckets: exponential(0.001, 2, 15),
  })
  /** Rejections of pods that wait, by plugin and profile. */
  readonly unschedulable = new GaugeFamily({
    name: 'scheduler_unschedulable_pods',
    help: 'The number of unschedulable pods broken down by plugin name. A pod will increment the gauge for all plugins that caused it to not schedule and so this metric have meaning only when broken down by plugin.',
    stability: 'ALPHA',
    labels: ['plugin', 'profile'],
  })
  #gauges: SchedulerGauges | undefined

  /** Reads gauges of a scheduler from now on. */
  follow(gauges: SchedulerGauges): void {
    this.#gauges = gauges
  }

  /** Returns the observer of the extension points of a profile. @param profile name of its scheduler */
  observerOf(profile: string): PointObserver {
    return (point, status, milliseconds) => this.pointSeconds.child(point, profile, status).observe(milliseconds / 1000)
  }

  families(): MetricFamily[] {
    const {
      attempts,
      attemptSeconds,
      algorithmSeconds,
      sliSeconds,
      podAttempts,
      preemptionAttempts,
      preemptionVictims,
      preemptions,
      incoming,
    } = this
    const counters = [
      attempts,
      attemptSeconds,
      algorithmSeconds,
      sliSeconds,
      podAttempts,
      preemptionAttempts,
      preemptionVictims,
      preemptions,
      incoming,
    ]
    return [
      ...counters,
      this.pointSeconds,
      this.groupAttempts,
      this.groupAttemptSeconds,
      this.unschedulable,
      this.#pending(),
      this.#cache(),
    ]
  }

  /** Gauge of waiting pods, which is read at a scrape. */
  #pending(): MetricFamily {
    const declaration = {
      name: 'scheduler_pending_pods',
      help: "Number of pending pods, by the queue type. 'active' means number of pods in activeQ; 'backoff' means number of pods in backoffQ; 'unschedulable' means number of pods in unschedulablePods that the scheduler attempted to schedule and failed; 'gated' is the number of unschedulable pods that the scheduler never attempted to schedule because they are gated.",
      stability: 'STABLE' as const,
      labels: ['queue'],
    }
    return new PolledFamily('gauge', declaration, () => polled(this.#gauges?.pending()))
  }

  /** Gauge of the scheduler's cache, which is read at a scrape. */
  #cache(): MetricFamily {
    const declaration = {
      name: 'scheduler_cache_size',
      help: 'Number of nodes, pods, and assumed (bound) pods in the scheduler cache.',
      stability: 'ALPHA' as const,
      labels: ['type'],
    }
    return new PolledFamily('gauge', declaration, () => polled(this.#gauges?.cache()))
  }
}

const polled = (values: Readonly<Record<string, number>> = {}): Polled[] => Object.entries(values).map(([name, value]) => [[name], value])
