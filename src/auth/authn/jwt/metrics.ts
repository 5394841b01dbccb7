import { createHash } from 'node:crypto'
import { CounterFamily, GaugeFamily, HistogramFamily, type MetricFamily, type Sample } from '../../../lib/metrics.ts'

/** Kubernetes' default buckets, in seconds, from a millisecond on. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const hashOf = (text: string): string => (text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`)

/**
 * What becomes of tokens and of the configuration.
 * Source: k8s.io/apiserver, plugin/pkg/authenticator/token/oidc and pkg/server/options/authenticationconfig/metrics.
 */
export class JwtMetrics {
  readonly #server: string
  readonly #latencies = new HistogramFamily({
    name: 'apiserver_authentication_jwt_authenticator_latency_seconds',
    help: 'Latency of jwt authentication operations in seconds. This is the time spent authenticating a token for cache miss only (i.e. when the token is not found in the cache).',
    stability: 'ALPHA',
    labels: ['result', 'jwt_issuer_hash'],
    buckets: BUCKETS,
  })
  readonly #reloads = new CounterFamily({
    name: 'apiserver_authentication_config_controller_automatic_reloads_total',
    help: 'Total number of automatic reloads of authentication configuration split by status and apiserver identity.',
    stability: 'BETA',
    labels: ['status', 'apiserver_id_hash'],
  })
  readonly #lastReloads = new GaugeFamily({
    name: 'apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds',
    help: 'Timestamp of the last automatic reload of authentication configuration split by status and apiserver identity.',
    stability: 'BETA',
    labels: ['status', 'apiserver_id_hash'],
    across: 'max',
  })
  readonly #lastFetches = new LastFetches()
  readonly #configuration: InfoFamily
  readonly #keySets: InfoFamily

  /** `serverId`: kube-apiserver's identity among others. */
  constructor(serverId: string) {
    this.#server = hashOf(serverId)
    this.#configuration = new InfoFamily(
      'apiserver_authentication_config_controller_last_config_info',
      'Information about the last applied authentication configuration with hash as label, split by apiserver identity.',
    )
    this.#keySets = new InfoFamily(
      'apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info',
      'Information about the last JWKS fetched by the JWT authenticator with hash as label, split by api server identity and jwt issuer.',
    )
  }

  get families(): readonly MetricFamily[] {
    return [this.#latencies, this.#reloads, this.#lastReloads, this.#configuration, this.#lastFetches, this.#keySets]
  }

  authenticated(issuer: string, result: 'success' | 'failure', seconds: number): void {
    this.#latencies.child(result, hashOf(issuer)).observe(seconds)
  }

  reloaded(status: 'success' | 'failure', now: number): void {
    this.#reloads.child(status, this.#server).value++
    this.#lastReloads.child(status, this.#server).value = now / 1000
  }

  /** The text of the file that is in force. */
  configured(text: string): void {
    this.#configuration.set('', { apiserver_id_hash: this.#server, hash: hashOf(text) })
  }

  /** `body`: what was fetched; undefined: nothing that can be used. */
  keysFetched(issuer: string, body: string | undefined, now: number): void {
    const labels = { jwt_issuer_hash: hashOf(issuer), apiserver_id_hash: this.#server }
    this.#lastFetches.set(issuer, body === undefined ? 'failure' : 'success', labels, now / 1000)
    if (body !== undefined) this.#keySets.set(issuer, { ...labels, hash: hashOf(body) })
  }

  /** The issuer is no longer in force. */
  forget(issuer: string): void {
    this.#lastFetches.delete(issuer)
    this.#keySets.delete(issuer)
  }
}

type Labels = Readonly<Record<string, string>>

/** Tells what is in force by labels; the value is 1. */
class InfoFamily implements MetricFamily {
  readonly name: string
  readonly help: string
  readonly stability = 'ALPHA'
  readonly type = 'gauge'
  readonly across = 'max'
  readonly #labels = new Map<string, Labels>()

  constructor(name: string, help: string) {
    this.name = name
    this.help = help
  }

  set(key: string, labels: Labels): void {
    this.#labels.set(key, labels)
  }

  delete(key: string): void {
    this.#labels.delete(key)
  }

  samples(): Sample[] {
    return [...this.#labels.values()].map(labels => ({ metricName: this.name, labels, value: 1 }))
  }
}

/** When the keys of each issuer were last asked for. */
class LastFetches implements MetricFamily {
  readonly name = 'apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds'
  readonly help = 'Timestamp of the last successful or failed JWKS fetch split by result, api server identity and jwt issuer for the JWT authenticator.'
  readonly stability = 'ALPHA'
  readonly type = 'gauge'
  readonly across = 'max'
  readonly #times = new Map<string, Map<string, { readonly labels: Labels; readonly seconds: number }>>()

  set(issuer: string, result: 'success' | 'failure', labels: Labels, seconds: number): void {
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
