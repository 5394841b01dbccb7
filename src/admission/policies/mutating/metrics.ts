import { CounterFamily, HistogramFamily, type MetricFamily } from '../../../lib/metrics.ts'
import { errorType, type IsBound, POLICY_BUCKETS, SUBJECT } from '../metrics.ts'

const LABELS = ['policy', 'policy_binding', 'error_type']

/** Counts and durations of mutations, under upstream's names. */
export class MutatingPolicyMetrics {
  readonly #isPresent: IsBound
  readonly #subject = { subject: SUBJECT, isPresent: (policy: string, binding: string) => this.#isPresent(policy, binding) }
  readonly #checks = new CounterFamily({
    name: 'apiserver_mutating_admission_policy_check_total',
    help: 'Mutation admission policy check total, labeled by policy and further identified by binding.',
    stability: 'ALPHA',
    labels: LABELS,
    ...this.#subject,
  })
  readonly #durations = new HistogramFamily({
    name: 'apiserver_mutating_admission_policy_check_duration_seconds',
    help: 'Mutation admission latency for individual mutation expressions in seconds, labeled by policy and binding.',
    stability: 'ALPHA',
    labels: LABELS,
    ...this.#subject,
    buckets: POLICY_BUCKETS,
  })

  /** @param isPresent whether the binding exists and refers to the policy. Series of removed ones are dropped. */
  constructor(isPresent: IsBound = () => true) {
    this.#isPresent = isPresent
  }

  /** Observes one mutation. @param error message of the failure. Undefined if it succeeded. */
  observe(policy: string, binding: string, error: string | undefined, seconds: number): void {
    const labels = [policy, binding, error === undefined ? 'no_error' : errorType(error)]
    this.#checks.child(...labels).value++
    this.#durations.child(...labels).observe(seconds)
  }

  families(): readonly MetricFamily[] {
    return [this.#checks, this.#durations]
  }
}
