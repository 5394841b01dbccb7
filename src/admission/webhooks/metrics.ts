import { CounterFamily, HistogramFamily, type MetricFamily } from '../../lib/metrics.ts'

/** Label `type` of upstream's webhook metrics. */
export type WebhookType = 'admit' | 'validating'

/** Why a request failed: the webhook rejected it, the call failed, or the response was invalid. */
export type RejectionType = 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error'

const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25]

/** Bounds the number of label values. */
const codeLabel = (code: number): string => String(Math.min(code, 600))

/** Counts and durations of webhook calls, under upstream's names. */
export class WebhookMetrics {
  readonly #isPresent: (name: string, step: WebhookType) => boolean
  readonly #subject = { subject: ['name', 'type'], isPresent: (name: string, type: string) => this.#isPresent(name, type as WebhookType) }
  readonly #durations = new HistogramFamily({
    name: 'apiserver_admission_webhook_admission_duration_seconds',
    help: 'Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    stability: 'STABLE',
    labels: ['name', 'type', 'operation', 'rejected'],
    ...this.#subject,
    buckets: BUCKETS,
  })
  readonly #rejections = new CounterFamily({
    name: 'apiserver_admission_webhook_rejection_count',
    help: 'Admission webhook rejection count, by name, type, operation, error type and rejection code; codes above 600 are reported as 600.',
    stability: 'ALPHA',
    labels: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
    ...this.#subject,
  })
  readonly #failedOpen = new CounterFamily({
    name: 'apiserver_admission_webhook_fail_open_count',
    help: 'Admission webhook fail open count, identified by name and broken out for each admission type (validating or admit).',
    stability: 'ALPHA',
    labels: ['name', 'type'],
    ...this.#subject,
  })
  readonly #requests = new CounterFamily({
    name: 'apiserver_admission_webhook_request_total',
    help: 'Admission webhook request total, by name, type, operation, HTTP status code and whether the request was rejected; codes above 600 are reported as 600.',
    stability: 'ALPHA',
    labels: ['name', 'type', 'operation', 'code', 'rejected'],
    ...this.#subject,
  })

  /** @param isPresent whether a webhook of this name exists. Series of removed ones are dropped. */
  constructor(isPresent: (name: string, step: WebhookType) => boolean = () => true) {
    this.#isPresent = isPresent
  }

  observe(
    name: string,
    step: WebhookType,
    operation: string,
    { code, rejected, seconds }: { code: number; rejected: boolean; seconds: number },
  ): void {
    this.#requests.child(name, step, operation, codeLabel(code), String(rejected)).value++
    this.#durations.child(name, step, operation, String(rejected)).observe(seconds)
  }

  rejected(name: string, step: WebhookType, operation: string, type: RejectionType, code: number): void {
    this.#rejections.child(name, step, operation, type, codeLabel(code)).value++
  }

  failedOpen(name: string, step: WebhookType): void {
    this.#failedOpen.child(name, step).value++
  }

  families(): readonly MetricFamily[] {
    return [this.#durations, this.#rejections, this.#failedOpen, this.#requests]
  }
}
