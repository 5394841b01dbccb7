import { CounterFamily, type MetricFamily } from '../lib/metrics.ts'

/** The part of auditing that failed. */
export type AuditPlugin = 'log' | 'webhook' | 'buffered' | 'truncate'

/** Metrics of auditing, registered even if auditing is off. Source: k8s.io/apiserver, pkg/audit/metrics.go. */
export class AuditMetrics {
  readonly #eventFamily = new CounterFamily({
    name: 'apiserver_audit_event_total',
    help: 'Counter of audit events generated and sent to the audit backend.',
    stability: 'ALPHA',
    labels: [],
  })
  readonly #errorFamily = new CounterFamily({
    name: 'apiserver_audit_error_total',
    help: 'Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.',
    stability: 'ALPHA',
    labels: ['plugin'],
  })
  readonly #levelFamily = new CounterFamily({
    name: 'apiserver_audit_level_total',
    help: 'Counter of policy levels for audit events (1 per request).',
    stability: 'ALPHA',
    labels: ['level'],
  })
  readonly #rejectedFamily = new CounterFamily({
    name: 'apiserver_audit_requests_rejected_total',
    help: 'Counter of apiserver requests rejected due to an error in audit logging backend.',
    stability: 'ALPHA',
    labels: [],
  })
  readonly events = this.#eventFamily.child()
  readonly rejected = this.#rejectedFamily.child()
  readonly families: readonly MetricFamily[] = [this.#errorFamily, this.#eventFamily, this.#levelFamily, this.#rejectedFamily]

  failed(plugin: AuditPlugin, events: number): void {
    this.#errorFamily.child(plugin).value += events
  }

  level(level: string): void {
    this.#levelFamily.child(level).value++
  }
}
