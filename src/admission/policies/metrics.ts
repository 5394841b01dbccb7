import { CounterFamily, HistogramFamily, type MetricFamily } from '../../lib/metrics.ts'

/** What became of a violation. */
export type Enforcement = 'allow' | 'deny' | 'audit' | 'warn'

const LABELS = ['policy', 'policy_binding', 'error_type', 'enforcement_action']
/** Labels of what a series of a policy counts. */
export const SUBJECT = ['policy', 'policy_binding']
/** Whether a binding is there and puts the policy in force. */
export type IsBound = (policy: string, binding: string) => boolean
/** Of how long expressions take, in seconds. */
export const POLICY_BUCKETS = [0.0000005, 0.001, 0.01, 0.1, 1]

/** How often policies were asked, and how long that took, under upstream's names. */
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

  /** `isPresent`: whether the binding is there and is one of the policy. The series of others are removed. */
  constructor(isPresent: IsBound = () => true) {
    this.#isPresent = isPresent
  }

  /** @param message of what was decided: upstream derives the type of an error from how it begins, and calls a refusal an error, too. */
  observe(policy: string, binding: string, { message, seconds }: { readonly message: string; readonly seconds: number }, enforcement: Enforcement): void {
    const labels = [policy, binding, errorType(message), enforcement]
    this.#checks.child(...labels).value++
    this.#durations.child(...labels).observe(seconds)
  }

  families(): readonly MetricFamily[] {
    return [this.#checks, this.#durations]
  }
}

/** The label `error_type` of upstream’s metrics. */
export function errorType(message: string): string {
  if (message.startsWith('compilation')) return 'compile_error'
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error'
}
