import { DEFAULT_BUCKETS } from '../../lib/buckets.ts'
import { CounterFamily, GaugeFamily, HistogramFamily, type MetricDeclaration, type MetricFamily } from '../../lib/metrics.ts'

const declareCacheMetric = (name: string): MetricDeclaration => ({
  name: `authentication_token_cache_${name}`,
  help: '',
  stability: 'ALPHA',
  labels: ['status'],
})

/**
 * Hits, misses and fetches of token caches. Source: pkg/authentication/token/cache in k8s.io/apiserver, which has no
 * help texts.
 */
export class TokenCacheMetrics {
  readonly #durations = new HistogramFamily({ ...declareCacheMetric('request_duration_seconds'), buckets: DEFAULT_BUCKETS })
  readonly #requests = new CounterFamily(declareCacheMetric('request_total'))
  readonly #fetches = new CounterFamily(declareCacheMetric('fetch_total'))
  readonly #active = new GaugeFamily(declareCacheMetric('active_fetch_count'))

  readonly families: readonly MetricFamily[] = [this.#durations, this.#requests, this.#fetches, this.#active]

  /** Observes an authentication. Rounded down to milliseconds, as upstream. */
  authenticated(status: 'hit' | 'miss', ms: number): void {
    this.#requests.child(status).value++
    this.#durations.child(status).observe(Math.floor(ms) / 1000)
  }

  /** Counts a request that waits for a fetch (`blocked`), or a fetch (`in_flight`). */
  begin(status: 'blocked' | 'in_flight'): void {
    this.#active.child(status).value++
  }

  end(status: 'blocked' | 'in_flight'): void {
    this.#active.child(status).value--
  }

  fetched(status: 'ok' | 'error'): void {
    this.#fetches.child(status).value++
  }
}
