import { CONDITION_BUCKETS } from '../../lib/buckets.ts'
import { CounterFamily, HistogramFamily, type MetricFamily } from '../../lib/metrics.ts'

const LABELS = ['name', 'kind', 'type', 'operation']

/** Owner of match conditions and the operation of the request: labels of the metrics. */
export interface ConditionSubject {
  readonly name: string
  readonly kind: 'webhook' | 'policy'
  /** Value of the label `type`. As in upstream, policies of both kinds have `validate`. */
  readonly type: 'admit' | 'validating' | 'validate'
  readonly operation: string
}

type IsPresent = (subject: Omit<ConditionSubject, 'operation'>) => boolean

/** How long match conditions took, and how often they failed or excluded a request, under upstream's names. */
export class ConditionMetrics {
  readonly #isPresent: IsPresent
  readonly #subject = {
    subject: ['name', 'kind', 'type'],
    isPresent: (name: string, kind: string, type: string) => this.#isPresent({ name, kind, type } as Omit<ConditionSubject, 'operation'>),
  }
  readonly #excluded = new CounterFamily({
    name: 'apiserver_admission_match_condition_exclusions_total',
    help: 'Admission match condition evaluation exclusions count, by name of the object with the conditions, its kind, admission type and operation.',
    stability: 'ALPHA',
    labels: LABELS,
    ...this.#subject,
  })
  readonly #errors = new CounterFamily({
    name: 'apiserver_admission_match_condition_evaluation_errors_total',
    help: 'Admission match condition evaluation errors count, by name of the object with the conditions, its kind, admission type and operation.',
    stability: 'ALPHA',
    labels: LABELS,
    ...this.#subject,
  })
  readonly #durations = new HistogramFamily({
    name: 'apiserver_admission_match_condition_evaluation_seconds',
    help: 'Admission match condition evaluation time in seconds, by name of the object with the conditions, its kind, admission type and operation.',
    stability: 'ALPHA',
    labels: LABELS,
    ...this.#subject,
    buckets: CONDITION_BUCKETS,
  })

  /** @param isPresent whether the webhook or policy exists. Series of removed ones are dropped. */
  constructor(isPresent: IsPresent = () => true) {
    this.#isPresent = isPresent
  }

  /**
   * Observes conditions of which at least one did not hold; upstream observes no others. @param errors number of
   * conditions that failed to evaluate before one was false.
   */
  observe({ name, kind, type, operation }: ConditionSubject, seconds: number, errors: number): void {
    this.#durations.child(name, kind, type, operation).observe(seconds)
    if (errors > 0) this.#errors.child(name, kind, type, operation).value += errors
  }

  /** Counts a webhook that is not called because a condition is false. */
  excluded(name: string, type: 'admit' | 'validate', operation: string): void {
    this.#excluded.child(name, 'webhook', type, operation).value++
  }

  families(): readonly MetricFamily[] {
    return [this.#excluded, this.#errors, this.#durations]
  }
}
