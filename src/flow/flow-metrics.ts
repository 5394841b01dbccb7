import {
  CounterFamily,
  GaugeFamily,
  type HistogramChild,
  HistogramFamily,
  type MetricDeclaration,
  type MetricFamily,
  type NumberChild,
  type Stability,
} from '../lib/metrics.ts'
import { type TimingRatio, TimingRatioFamily } from './timing-ratio.ts'

const LEVEL = ['priority_level'] as const
const FLOW = ['priority_level', 'flow_schema'] as const
/** Bounds of durations, in seconds. A duration of zero has its own bucket: most requests do not wait. */
const SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]

const declareFlowMetric = (name: string, stability: Stability, labels: readonly string[], help: string): MetricDeclaration => ({
  name: `apiserver_flowcontrol_${name}`,
  help,
  stability,
  labels,
})
const gauge = (name: string, stability: Stability, labels: readonly string[], help: string): GaugeFamily =>
  new GaugeFamily(declareFlowMetric(name, stability, labels, help))
/** Gauge of each priority level. Workers behind one port each have their own limits, which are summed. */
const levelGauge = (name: string, help: string): GaugeFamily => gauge(name, 'ALPHA', LEVEL, help)
/** Gauge of a virtual time. Those of several workers cannot be summed, so the maximum is reported. */
const position = (name: string, labels: readonly string[], help: string): GaugeFamily =>
  new GaugeFamily({ ...declareFlowMetric(name, 'ALPHA', labels, help), across: 'max' })
const histogram = (
  name: string,
  stability: Stability,
  labels: readonly string[],
  buckets: readonly number[],
  help: string,
): HistogramFamily => new HistogramFamily({ ...declareFlowMetric(name, stability, labels, help), buckets })

/** Metrics of a priority level. */
export interface LevelMeters {
  /** Waiting requests, relative to their limit. */
  readonly waiting: TimingRatio
  /** Executing requests, relative to the seats. */
  readonly executing: TimingRatio
  /** Occupied seats, relative to the limit. */
  readonly seats: TimingRatio
  /** Seats that are occupied or demanded, relative to the nominal limit. */
  readonly demand: TimingRatio
  /** Progress meter R, in seat-seconds. */
  readonly currentR: NumberChild
  /** Values at the last dispatch. The series exist from the first dispatch on. */
  readonly dispatch: () => {
    readonly r: NumberChild
    readonly s: NumberChild
    readonly bounds: GaugeBounds
    readonly discounted: GaugeBounds
  }
  /** Counts a reset of the progress meter. */
  epochAdvanced(success: boolean): void
}

/** Minimum and maximum over the queues of a level. */
interface GaugeBounds {
  readonly min: NumberChild
  readonly max: NumberChild
}

/** Metrics of the requests of a flow schema in its priority level. */
export interface FlowMeters {
  /** Requests that got their seats. */
  readonly dispatched: NumberChild
  readonly queued: NumberChild
  readonly queuedSeats: NumberChild
  /** Requests that execute. A watch executes until its initial events are sent. */
  readonly executing: NumberChild
  readonly seats: NumberChild
  /** The same as `seats`, under a former name of the metric. */
  readonly seatsFormerly: NumberChild
  /** Length of the queue after a request has joined it. */
  readonly queueLength: () => HistogramChild
  /** Time in the queue of requests that were then executed, in seconds. */
  readonly waited: HistogramChild
  readonly executed: HistogramChild
  readonly estimated: HistogramChild
  readonly noAccommodation: () => NumberChild
  /** Time in the queue of requests that were then rejected, in seconds. */
  readonly waitedInVain: () => HistogramChild
  /** Time until a watch's initial events were sent, in seconds. */
  readonly initialized: () => HistogramChild
  /** Number of watches that a write notifies. */
  readonly watches: () => HistogramChild
  /** Counts a rejection. */
  rejected(reason: RejectReason): NumberChild
}

/** Why a request is rejected, as the metrics' label. */
export type RejectReason = 'concurrency-limit' | 'queue-full' | 'time-out'

/** Values of a priority level at an adjustment of limits. */
export interface Adjustment {
  /** Highest demand since the last adjustment, in seats. */
  readonly highWatermark: number
  /** Average demand over time since the last adjustment, in seats. */
  readonly average: number
  readonly deviation: number
  /** Demand as smoothed over several adjustments, in seats. */
  readonly smoothed: number
  /** Seats that the level should get, before bounds apply. */
  readonly target: number
  /** Seats that the level has until the next adjustment. */
  readonly currentLimit: number
}

/** Metrics of kube-apiserver's priority and fairness. Source: pkg/util/flowcontrol/metrics in k8s.io/apiserver. */
export class FlowMetrics {
  readonly #rejected = new CounterFamily(
    declareFlowMetric(
      'rejected_requests_total',
      'BETA',
      [...FLOW, 'reason'],
      'Number of requests rejected by API Priority and Fairness subsystem',
    ),
  )
  readonly #dispatched = new CounterFamily(
    declareFlowMetric('dispatched_requests_total', 'BETA', FLOW, 'Number of requests executed by API Priority and Fairness subsystem'),
  )
  readonly #currentR = position('current_r', LEVEL, 'R(time of last change)')
  readonly #dispatchR = position('dispatch_r', LEVEL, 'R(time of last dispatch)')
  readonly #latestS = position('latest_s', LEVEL, 'S(most recently dispatched request)')
  readonly #nextBounds = position('next_s_bounds', [...LEVEL, 'bound'], 'min and max, over queues, of S(oldest waiting request in queue)')
  readonly #discountedBounds = position(
    'next_discounted_s_bounds',
    [...LEVEL, 'bound'],
    'min and max, over queues, of S(oldest waiting request in queue) - estimated work in progress',
  )
  readonly #queued = gauge(
    'current_inqueue_requests',
    'BETA',
    FLOW,
    'Number of requests currently pending in queues of the API Priority and Fairness subsystem',
  )
  readonly #queuedSeats = gauge(
    'current_inqueue_seats',
    'ALPHA',
    FLOW,
    'Number of seats currently pending in queues of the API Priority and Fairness subsystem',
  )
  readonly #queueLengths = histogram(
    'request_queue_length_after_enqueue',
    'ALPHA',
    FLOW,
    [0, 10, 25, 50, 100, 250, 500, 1000],
    'Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is enqueued',
  )
  readonly #limitFormerly = levelGauge('request_concurrency_limit', 'Nominal number of execution seats configured for each priority level')
  readonly #seatsFormerly = gauge(
    'request_concurrency_in_use',
    'ALPHA',
    FLOW,
    'Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem',
  )
  readonly #seats = gauge(
    'current_executing_seats',
    'BETA',
    FLOW,
    'Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem',
  )
  readonly #executing = gauge(
    'current_executing_requests',
    'BETA',
    FLOW,
    'Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem',
  )
  readonly #waited = histogram(
    'request_wait_duration_seconds',
    'BETA',
    [...FLOW, 'execute'],
    SECONDS,
    'Length of time a request spent waiting in its queue',
  )
  readonly #executed = histogram(
    'request_execution_seconds',
    'ALPHA',
    [...FLOW, 'type'],
    SECONDS,
    'Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem',
  )
  readonly #watchCounts = histogram(
    'watch_count_samples',
    'ALPHA',
    FLOW,
    [0, 1, 10, 100, 1000, 10000],
    'count of watchers for mutating requests in API Priority and Fairness',
  )
  readonly #epochAdvances = new CounterFamily(
    declareFlowMetric(
      'epoch_advance_total',
      'ALPHA',
      [...LEVEL, 'success'],
      "Number of times the queueset's progress meter jumped backward",
    ),
  )
  readonly #estimatedSeats: ReturnType<typeof histogram>
  readonly #noAccommodation = new CounterFamily(
    declareFlowMetric(
      'request_dispatch_no_accommodation_total',
      'ALPHA',
      FLOW,
      'Number of times a dispatch attempt resulted in a non accommodation due to lack of available seats',
    ),
  )
  readonly #nominal = gauge('nominal_limit_seats', 'BETA', LEVEL, 'Nominal number of execution seats configured for each priority level')
  readonly #lower = levelGauge('lower_limit_seats', 'Configured lower bound on number of execution seats available to each priority level')
  readonly #upper = levelGauge('upper_limit_seats', 'Configured upper bound on number of execution seats available to each priority level')
  readonly #current = levelGauge('current_limit_seats', 'current derived number of execution seats available to each priority level')
  readonly #highWatermarks = levelGauge('demand_seats_high_watermark', 'High watermark, over last adjustment period, of demand_seats')
  readonly #averages = levelGauge('demand_seats_average', 'Time-weighted average, over last adjustment period, of demand_seats')
  readonly #deviations = levelGauge('demand_seats_stdev', 'Time-weighted standard deviation, over last adjustment period, of demand_seats')
  readonly #smoothed = levelGauge('demand_seats_smoothed', 'Smoothed seat demands')
  readonly #targets = levelGauge('target_seats', 'Seat allocation targets')
  readonly #fairFraction = position(
    'seat_fair_frac',
    [],
    "Fair fraction of server's concurrency to allocate to each priority level that can use it",
  )
  readonly #requestUtilization: TimingRatioFamily
  readonly #seatUtilization: TimingRatioFamily
  readonly #demands: TimingRatioFamily
  readonly #readOrWrite: TimingRatioFamily

  /**
   * `now`: clock in milliseconds. `mostSeats`: maximum seats of a request in the release, which is the highest bucket
   * of the estimates.
   */
  constructor(now: () => number, mostSeats: 10 | 100 = 10) {
    this.#estimatedSeats = histogram(
      'work_estimated_seats',
      'ALPHA',
      FLOW,
      mostSeats === 10 ? [1, 2, 4, 10] : [1, 2, 4, 8, 16, 32, 64, 100],
      'Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness',
    )
    const timing = (
      name: string,
      labels: readonly string[],
      buckets: readonly number[],
      help: string,
      constant?: Record<string, string>,
    ): TimingRatioFamily =>
      new TimingRatioFamily({ ...declareFlowMetric(name, 'ALPHA', labels, help), buckets, ...(constant && { constant }) }, now)
    this.#requestUtilization = timing(
      'priority_level_request_utilization',
      ['phase', 'priority_level'],
      [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1],
      'Observations, at the end of every nanosecond, of number of requests (as a fraction of the relevant limit) waiting or in any stage of execution (but only initial stage for WATCHes)',
    )
    this.#seatUtilization = timing(
      'priority_level_seat_utilization',
      LEVEL,
      [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
      'Observations, at the end of every nanosecond, of utilization of seats for any stage of execution (but only initial stage for WATCHes)',
      { phase: 'executing' },
    )
    this.#demands = timing(
      'demand_seats',
      LEVEL,
      [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6],
      'Observations, at the end of every nanosecond, of (the number of seats each priority level could use) / (nominal number of seats for that level)',
    )
    this.#readOrWrite = timing(
      'read_vs_write_current_requests',
      ['phase', 'request_kind'],
      [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
      'Observations, at the end of every nanosecond, of the number of requests (as a fraction of the relevant limit) waiting or in regular stage of execution',
    )
  }

  families(): MetricFamily[] {
    return [
      ...[this.#rejected, this.#dispatched, this.#currentR, this.#dispatchR, this.#latestS, this.#nextBounds, this.#discountedBounds],
      ...[this.#queued, this.#queuedSeats, this.#queueLengths, this.#limitFormerly, this.#seatsFormerly, this.#seats, this.#executing],
      ...[this.#waited, this.#executed, this.#watchCounts, this.#epochAdvances, this.#estimatedSeats, this.#noAccommodation],
      ...[this.#nominal, this.#lower, this.#upper, this.#highWatermarks, this.#averages, this.#deviations, this.#smoothed, this.#targets],
      ...[this.#fairFraction, this.#current, this.#seatUtilization, this.#requestUtilization, this.#readOrWrite, this.#demands],
    ]
  }

  /** Creates the series of a level. Those of dispatches appear with its first use, as upstream. */
  levelMeters(level: string): LevelMeters {
    const bounds = (family: GaugeFamily): GaugeBounds => ({ min: family.child(level, 'min'), max: family.child(level, 'max') })
    return {
      waiting: this.#requestUtilization.child('waiting', level),
      executing: this.#requestUtilization.child('executing', level),
      seats: this.#seatUtilization.child(level),
      demand: this.#demands.child(level),
      currentR: this.#currentR.child(level),
      dispatch: once(() => ({
        r: this.#dispatchR.child(level),
        s: this.#latestS.child(level),
        bounds: bounds(this.#nextBounds),
        discounted: bounds(this.#discountedBounds),
      })),
      epochAdvanced: success => {
        this.#epochAdvances.child(level, String(success)).value++
      },
    }
  }

  /** Creates the series of a schema in a level. Those of rare events appear with their first use, as upstream. */
  flowMeters(level: string, schema: string): FlowMeters {
    return {
      dispatched: this.#dispatched.child(level, schema),
      queued: this.#queued.child(level, schema),
      queuedSeats: this.#queuedSeats.child(level, schema),
      executing: this.#executing.child(level, schema),
      seats: this.#seats.child(level, schema),
      seatsFormerly: this.#seatsFormerly.child(level, schema),
      queueLength: once(() => this.#queueLengths.child(level, schema)),
      waited: this.#waited.child(level, schema, 'true'),
      executed: this.#executed.child(level, schema, 'regular'),
      estimated: this.#estimatedSeats.child(level, schema),
      noAccommodation: once(() => this.#noAccommodation.child(level, schema)),
      waitedInVain: once(() => this.#waited.child(level, schema, 'false')),
      initialized: once(() => this.#executed.child(level, schema, 'watch')),
      watches: once(() => this.#watchCounts.child(level, schema)),
      rejected: reason => this.#rejected.child(level, schema, reason),
    }
  }

  /** Returns the timing ratio of requests of a kind to the server's limit. */
  requestsOf(phase: 'waiting' | 'executing', kind: 'readOnly' | 'mutating'): TimingRatio {
    return this.#readOrWrite.child(phase, kind)
  }

  /** Sets the configured limits of a level, in seats. */
  configured(level: string, limits: { readonly nominal: number; readonly min: number; readonly max: number }): void {
    this.#limitFormerly.child(level).value = limits.nominal
    this.#nominal.child(level).value = limits.nominal
    this.#lower.child(level).value = limits.min
    this.#upper.child(level).value = limits.max
  }

  /** Sets the result of an adjustment of a level. */
  adjusted(level: string, { highWatermark, average, deviation, smoothed, target, currentLimit }: Adjustment): void {
    this.#highWatermarks.child(level).value = highWatermark
    this.#averages.child(level).value = average
    this.#deviations.child(level).value = deviation
    this.#smoothed.child(level).value = smoothed
    this.#targets.child(level).value = target
    this.#current.child(level).value = currentLimit
  }

  /** Sets the share of its target that each level without bounds has got. */
  divided(fairFraction: number): void {
    this.#fairFraction.child().value = fairFraction
  }
}

/** Creates a series when it is first needed, so that it is not exposed before. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
