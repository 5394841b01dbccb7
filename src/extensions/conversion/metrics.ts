import { doubled } from '../../lib/buckets.ts'
import { CounterFamily, HistogramFamily, type MetricFamily } from '../../lib/metrics.ts'

/** Label `failure_type` of upstream's conversion metrics. */
export type FailureType =
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure'
  | 'conversion_webhook_invalid_converted_object_failure'

/** Counts and durations of webhook conversions, under upstream's names. */
export class ConversionMetrics {
  readonly #requests = new CounterFamily({
    name: 'apiserver_conversion_webhook_request_total',
    help: 'Counter for conversion webhook requests with success/failure and failure error type',
    stability: 'ALPHA',
    labels: ['result', 'failure_type'],
  })
  readonly #latency = new HistogramFamily({
    name: 'apiserver_conversion_webhook_duration_seconds',
    help: 'Conversion webhook request latency',
    stability: 'ALPHA',
    labels: ['result', 'failure_type'],
    buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60],
  })
  readonly #conversions = new HistogramFamily({
    name: 'apiserver_crd_conversion_webhook_duration_seconds',
    help: 'CRD webhook conversion duration in seconds',
    stability: 'ALPHA',
    labels: ['crd_name', 'from_version', 'to_version', 'succeeded'],
    subject: ['crd_name'],
    buckets: doubled(0.001, 15),
  })

  get families(): readonly MetricFamily[] {
    return [this.#requests, this.#latency, this.#conversions]
  }

  /** Records a call. @param failure undefined if it succeeded. */
  called(seconds: number, failure: FailureType | undefined): void {
    const labels = failure === undefined ? ['success', ''] : ['failure', failure]
    this.#requests.child(...labels).value++
    this.#latency.child(...labels).observe(seconds)
  }

  /** Drops the series of a deleted definition. */
  forget(definition: string): void {
    this.#conversions.forget(definition)
  }

  /** Records a conversion of a definition's objects. */
  converted(definition: string, from: string, to: string, seconds: number, succeeded: boolean): void {
    this.#conversions.child(definition, from, to, String(succeeded)).observe(seconds)
  }
}
