import { CounterFamily, HistogramFamily, type MetricFamily } from '../../lib/metrics.ts'

/** Enforcement action of a violation: label of the metrics. */
export type Enforcement = 'allow' | 'deny' | 'audit' | 'warn'

const LABELS = ['policy', 'policy_binding', 'error_type', 'enforcement_action']
/** Labels that identify a policy and its binding. */
export const SUBJECT = ['policy', 'policy_binding']
/** Whether the binding exists and refers to the policy. */
export type IsBound = (policy: string, binding: string) => boolean
/** Histogram buckets of expression durations, in seconds. */
export const POLICY_BUCKETS = [0.0000005, 0.001, 0.01, 0.1, 1]

/** Counts and durations of validation checks, under upstream's names. */
export class PolicyMetrics {
  readonly #isPresent: IsBound
  readonly #subject = { subject: SUBJECT, isPresent: (policy: string, binding: string) => this.#isPresent(policy, binding) }
  readonly #checks = new CounterFamily({
    name: 'apiserver_validating_admission_policy_check_total',
    help: 'Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.',
    stability: 'BETA',
    labels: LABELS,
    ...this.#subject,
  })
  readonly #durations = new HistogramFamily({
    name: 'apiserver_validating_admission_policy_check_duration_seconds',
    help: 'Validation admission latency for individual validation expressions in seconds, labeled by policy and further including binding and enforcement action taken.',
    stability: 'BETA',
    labels: LABELS,
    ...this.#subject,
    buckets: POLICY_BUCKETS,
  })

  /** @param isPresent whether the binding exists and refers to the policy. Series of removed ones are dropped. */
  constructor(isPresent: IsBound = () => true) {
    this.#isPresent = isPresent
  }

  /**
   * Observes one decision. @param decision its message determines the `error_type`: upstream derives it from the
   * prefix, and counts denials as errors.
   */
  observe(
    policy: string,
    binding: string,
    { message, seconds }: { readonly message: string; readonly seconds: number },
    enforcement: Enforcement,
  ): void {
    const labels = [policy, binding, errorType(message), enforcement]
    this.#checks.child(...labels).value++
    this.#durations.child(...labels).observe(seconds)
  }

  families(): readonly MetricFamily[] {
    return [this.#checks, this.#durations]
  }
}

/** Label `error_type`, derived from a message as upstream does. */
export function errorType(message: string): string {
  if (message.startsWith('compilation')) return 'compile_error'
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error'
}
