import { DEFAULT_BUCKETS } from '../../../../lib/buckets.ts'
import { CounterFamily, GaugeFamily, HistogramFamily, type MetricFamily } from '../../../../lib/metrics.ts'

/** Bounds of durations, in seconds. They exceed the default ones at both ends. */
const SECONDS = [0.001, ...DEFAULT_BUCKETS, 30, 60]

const declareSignerMetric = (name: string, labels: readonly string[], help: string) => ({
  name: `apiserver_externaljwt_${name}`,
  help,
  stability: 'ALPHA' as const,
  labels,
})

/**
 * Metrics of calls to external signers. Codes are those of gRPC. Source: pkg/serviceaccount/externaljwt/metrics in
 * k8s.io/kubernetes.
 */
export class SignerMetrics {
  readonly #fetched = new GaugeFamily({
    ...declareSignerMetric('fetch_keys_success_timestamp', [], 'Unix Timestamp in seconds of the last successful FetchKeys request'),
    across: 'max',
  })
  readonly #data = new GaugeFamily({
    ...declareSignerMetric(
      'fetch_keys_data_timestamp',
      [],
      'Unix Timestamp in seconds of the last successful FetchKeys data_timestamp value returned by the external signer',
    ),
    across: 'max',
  })
  readonly #fetches = new CounterFamily(
    declareSignerMetric('fetch_keys_request_total', ['code'], 'Total attempts at syncing supported JWKs'),
  )
  readonly #signatures = new CounterFamily(declareSignerMetric('sign_request_total', ['code'], 'Total attempts at signing JWT'))
  readonly #durations = new HistogramFamily({
    ...declareSignerMetric('request_duration_seconds', ['method', 'code'], 'Request duration and time for calls to external-jwt-signer'),
    buckets: SECONDS,
  })

  readonly families: readonly MetricFamily[] = [this.#fetched, this.#data, this.#fetches, this.#signatures, this.#durations]

  /** Records a call to the signer. `code` is the gRPC code by name. */
  called(method: string, seconds: number, code: string): void {
    this.#durations.child(method, code).observe(seconds)
  }

  /** Counts an attempt to sign a token. */
  signed(code: string): void {
    this.#signatures.child(code).value++
  }

  /** Counts a failed fetch of keys. */
  fetchFailed(code: string): void {
    this.#fetches.child(code).value++
  }

  /** Records a successful fetch. Times in seconds since the epoch. */
  fetched(now: number, dataTimestamp: number): void {
    this.#fetches.child('OK').value++
    this.#fetched.child().value = now
    this.#data.child().value = dataTimestamp
  }
}
