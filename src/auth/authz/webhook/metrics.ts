import { CONDITION_BUCKETS, DEFAULT_BUCKETS } from '../../../lib/buckets.ts'
import { CounterFamily, HistogramFamily } from '../../../lib/metrics.ts'

/** Result of a call: a valid response, canceled by the request, timed out, or any other error. */
export type CallResult = 'success' | 'canceled' | 'timeout' | 'error'

/**
 * Metrics of authorization webhooks by name. Source: k8s.io/apiserver, plugin/pkg/authorizer/webhook/metrics and
 * pkg/authorization/cel.
 */
export class AuthorizationWebhookMetrics {
  readonly #calls = new CounterFamily({
    name: 'apiserver_authorization_webhook_evaluations_total',
    help: 'Round-trips to authorization webhooks.',
    stability: 'ALPHA',
    labels: ['name', 'result'],
  })
  readonly #seconds = new HistogramFamily({
    name: 'apiserver_authorization_webhook_duration_seconds',
    help: 'Request latency in seconds.',
    stability: 'ALPHA',
    labels: ['name', 'result'],
    buckets: DEFAULT_BUCKETS,
  })
  readonly #failedOpen = new CounterFamily({
    name: 'apiserver_authorization_webhook_evaluations_fail_open_total',
    help: 'NoOpinion results due to webhook timeout or error.',
    stability: 'ALPHA',
    labels: ['name', 'result'],
  })
  readonly #conditionErrors = new CounterFamily({
    name: 'apiserver_authorization_match_condition_evaluation_errors_total',
    help: 'Total number of errors when an authorization webhook encounters a match condition error split by authorizer type and name.',
    stability: 'ALPHA',
    labels: ['type', 'name'],
  })
  readonly #conditionExclusions = new CounterFamily({
    name: 'apiserver_authorization_match_condition_exclusions_total',
    help: 'Total number of exclusions when an authorization webhook is skipped because match conditions exclude it.',
    stability: 'ALPHA',
    labels: ['type', 'name'],
  })
  readonly #conditionSeconds = new HistogramFamily({
    name: 'apiserver_authorization_match_condition_evaluation_seconds',
    help: 'Authorization match condition evaluation time in seconds, split by authorizer type and name.',
    stability: 'ALPHA',
    labels: ['type', 'name'],
    buckets: CONDITION_BUCKETS,
  })

  readonly families = [
    this.#calls,
    this.#seconds,
    this.#failedOpen,
    this.#conditionErrors,
    this.#conditionExclusions,
    this.#conditionSeconds,
  ]

  called(name: string, result: CallResult, seconds: number): void {
    this.#calls.child(name, result).value++
    this.#seconds.child(name, result).observe(seconds)
  }

  failedOpen(name: string, result: CallResult): void {
    this.#failedOpen.child(name, result).value++
  }

  /** Observes an evaluation of match conditions. */
  matched(name: string, outcome: 'met' | 'excluded' | 'failed', seconds: number): void {
    this.#conditionSeconds.child('Webhook', name).observe(seconds)
    if (outcome === 'excluded') this.#conditionExclusions.child('Webhook', name).value++
    if (outcome === 'failed') this.#conditionErrors.child('Webhook', name).value++
  }
}
