import type { AvailabilityObserver } from '../../controllers/api-service-availability.ts'
import { CounterFamily, type MetricFamily, ReadGauge } from '../../lib/metrics.ts'

/** Availability of APIServices. Source: k8s.io/kube-aggregator, pkg/controllers/status/metrics. */
export class AvailabilityMetrics implements AvailabilityObserver {
  readonly #unavailable = new Map<string, boolean>()
  readonly #became = new CounterFamily({
    name: 'aggregator_unavailable_apiservice_total',
    help: 'Counter of APIServices which are marked as unavailable broken down by APIService name and reason.',
    stability: 'ALPHA',
    labels: ['name', 'reason'],
    subject: ['name'],
  })
  readonly families: readonly MetricFamily[] = [
    this.#became,
    new ReadGauge(
      {
        name: 'aggregator_unavailable_apiservice',
        help: 'Gauge of APIServices which are marked as unavailable broken down by APIService name.',
        stability: 'ALPHA',
        labels: ['name'],
      },
      () => [...this.#unavailable].map(([name, isUnavailable]) => [name, isUnavailable ? 1 : 0] as const),
    ),
  ]

  found(name: string, { isAvailable, reason }: { readonly isAvailable: boolean; readonly reason: string }, wasAvailable: boolean): void {
    this.#unavailable.set(name, !isAvailable)
    if (wasAvailable && !isAvailable) this.#became.child(name, reason).value++
  }

  forgotten(name: string): void {
    this.#unavailable.delete(name)
    this.#became.forget(name)
  }
}
