import { CounterFamily, HistogramFamily, type MetricFamily } from '../../../lib/metrics.ts'
import { errorType, type IsBound, POLICY_BUCKETS, SUBJECT } from '../metrics.ts'

const LABELS = ['policy', 'policy_binding', 'error_type']

/** How often mutations of policies were made, and how long that took, under upstream's names. */
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

  /** `isPresent`: whether the binding is there and is one of the policy. The series of others are removed. */
  constructor(isPresent: IsBound = () => true) {
    this.#isPresent = isPresent
  }

  /** One mutation. @param error its message; undefined where it was made. */
  observe(policy: string, binding: string, error: string | undefined, seconds: number): void {
    const labels = [policy, binding, error === undefined ? 'no_error' : errorType(error)]
    this.#checks.child(...labels).value++
    this.#durations.child(...labels).observe(seconds)
  }

  families(): readonly MetricFamily[] {
    return [this.#checks, this.#durations]
  }
}
