import { DEFAULT_BUCKETS } from '../../../lib/buckets.ts'
import { InfoFamily } from '../../../lib/info-family.ts'
import { HistogramFamily, type MetricFamily, type MetricLabels, type Sample } from '../../../lib/metrics.ts'
import { sha256Label } from '../../../lib/sha256-label.ts'

/** Kubernetes' default buckets and 1 ms, in seconds. */
const BUCKETS = [0.001, ...DEFAULT_BUCKETS]

/** Hashes of the issuer's URL and of this server's identity. */
const ISSUER_LABELS = ['jwt_issuer_hash', 'apiserver_id_hash']

/** Metrics of JWT authentication. Source: k8s.io/apiserver, plugin/pkg/authenticator/token/oidc. */
export class JwtMetrics {
  readonly #server: string
  readonly #latencies = new HistogramFamily({
    name: 'apiserver_authentication_jwt_authenticator_latency_seconds',
    help: 'Latency of jwt authentication operations in seconds. This is the time spent authenticating a token for cache miss only (i.e. when the token is not found in the cache).',
    stability: 'ALPHA',
    labels: ['result', 'jwt_issuer_hash'],
    buckets: BUCKETS,
  })
  readonly #lastFetches = new LastFetches()
  readonly #keySets: InfoFamily

  /** @param serverId identity of this server among several. */
  constructor(serverId: string) {
    this.#server = sha256Label(serverId)
    this.#keySets = new InfoFamily(
      'apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info',
      'Information about the last JWKS fetched by the JWT authenticator with hash as label, split by api server identity and jwt issuer.',
      [...ISSUER_LABELS, 'hash'],
    )
  }

  get families(): readonly MetricFamily[] {
    return [this.#latencies, this.#lastFetches, this.#keySets]
  }

  /** Records an authentication that was not served from the cache. */
  authenticated(issuer: string, result: 'success' | 'failure', seconds: number): void {
    this.#latencies.child(result, sha256Label(issuer)).observe(seconds)
  }

  /** Records a fetch of keys. @param body undefined if it failed. */
  keysFetched(issuer: string, body: Buffer | undefined, now: number): void {
    const labels = { jwt_issuer_hash: sha256Label(issuer), apiserver_id_hash: this.#server }
    this.#lastFetches.set(issuer, body === undefined ? 'failure' : 'success', labels, now / 1000)
    if (body !== undefined) this.#keySets.set(issuer, { ...labels, hash: sha256Label(body) })
  }

  /** Drops the series of an issuer that is no longer configured. */
  forget(issuer: string): void {
    this.#lastFetches.delete(issuer)
    this.#keySets.delete(issuer)
  }
}

/** Time and result of the last fetch of each issuer's keys. */
class LastFetches implements MetricFamily {
  readonly name = 'apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds'
  readonly help =
    'Timestamp of the last successful or failed JWKS fetch split by result, api server identity and jwt issuer for the JWT authenticator.'
  readonly stability = 'ALPHA'
  readonly type = 'gauge'
  readonly across = 'max'
  readonly labels = ['result', ...ISSUER_LABELS]
  readonly #times = new Map<string, Map<string, { readonly labels: MetricLabels; readonly seconds: number }>>()

  /** Sets the time of the last success or failure of an issuer, in seconds since the epoch. */
  set(issuer: string, result: 'success' | 'failure', labels: MetricLabels, seconds: number): void {
    const times = this.#times.get(issuer) ?? new Map()
    times.set(result, { labels: { result, ...labels }, seconds })
    this.#times.set(issuer, times)
  }

  delete(issuer: string): void {
    this.#times.delete(issuer)
  }

  samples(): Sample[] {
    const all = [...this.#times.values()].flatMap(times => [...times.values()])
    return all.map(({ labels, seconds }) => ({ metricName: this.name, labels, value: seconds }))
  }
}
