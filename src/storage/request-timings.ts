import { REQUEST_BUCKETS } from '../lib/buckets.ts'
import { errorMessage } from '../lib/error-message.ts'
import { CounterFamily, type HistogramChild, HistogramFamily, type MetricFamily, type NumberChild } from '../lib/metrics.ts'
import type { Release } from '../lifecycle/release.ts'
import type { RequestNotes } from '../meta/request-notes.ts'
import type { Backend } from './backend.ts'
import { type ResourceLabels, resourceLabels } from './resource-labels.ts'

interface Children {
  readonly latency: HistogramChild
  readonly total: NumberChild
  readonly errors: () => NumberChild
}

/**
 * Latency and failures of store requests, as kube-apiserver's metrics of etcd requests. The embedded store is reported
 * under the same names.
 */
export class RequestTimings {
  readonly #latencies: HistogramFamily
  readonly #totals: CounterFamily
  readonly #failures: CounterFamily
  readonly #labels: ResourceLabels
  readonly #notes: (() => RequestNotes | undefined) | undefined

  /**
   * @param release determines the labels
   * @param notes returns the notes of the current request, to which its store calls are added. Without it they are not
   * recorded
   */
  constructor(release: Release, notes?: () => RequestNotes | undefined) {
    this.#notes = notes
    this.#labels = resourceLabels(release, 'type')
    const { names } = this.#labels
    const family = (name: string, help: string) => ({
      name,
      help,
      stability: 'ALPHA' as const,
      labels: ['operation', ...names],
      subject: names,
    })
    this.#latencies = new HistogramFamily({
      ...family('etcd_request_duration_seconds', 'Etcd request latency in seconds for each operation and object type.'),
      buckets: REQUEST_BUCKETS,
    })
    this.#totals = new CounterFamily(family('etcd_requests_total', 'Etcd request counts for each operation and object type.'))
    this.#failures = new CounterFamily(
      family('etcd_request_errors_total', 'Etcd failed request counts for each operation and object type.'),
    )
  }

  families(): MetricFamily[] {
    return [this.#latencies, this.#totals, this.#failures]
  }

  /** Removes the metrics of a type that no longer exists. */
  forget(type: string): void {
    for (const family of [this.#latencies, this.#totals, this.#failures]) family.forget(...this.#labels.values(type))
  }

  /** Returns a backend whose reads and writes are timed as requests for this type (`deployments.apps`). */
  timed(backend: Backend, type: string): Backend {
    const operations = new Map<string, Children>()
    const labels = this.#labels.values(type)
    const childrenOf = (operation: string): Children => {
      let children = operations.get(operation)
      if (children === undefined) {
        children = {
          latency: this.#latencies.child(operation, ...labels),
          total: this.#totals.child(operation, ...labels),
          errors: () => this.#failures.child(operation, ...labels),
        }
        operations.set(operation, children)
      }
      return children
    }
    const timing = <T>(operation: string, call: Promise<T>): Promise<T> => {
      const begun = performance.now()
      const { latency, total, errors } = childrenOf(operation)
      const why = this.#notes?.()
      const over = (failed?: string) => {
        const milliseconds = performance.now() - begun
        latency.observe(milliseconds / 1000)
        total.value++
        why?.note({ step: 'store', operation, resource: type, milliseconds, ...(failed !== undefined && { failed }) })
      }
      call.then(
        () => over(),
        (error: unknown) => {
          over(errorMessage(error))
          errors().value++
        },
      )
      return call
    }
    return {
      get: (key, signal, at) => timing('get', backend.get(key, signal, at)),
      range: (query, signal) => timing('list', backend.range(query, signal)),
      write: (write, signal) =>
        timing(write.value === undefined ? 'delete' : write.expected === 0 ? 'create' : 'update', backend.write(write, signal)),
      watch: (watch, signal) => backend.watch(watch, signal),
      ...(backend.watchProof && { watchProof: backend.watchProof.bind(backend) }),
      currentRevision: signal => backend.currentRevision(signal),
      compact: (before, signal) => backend.compact(before, signal),
      check: signal => backend.check(signal),
      size: signal => backend.size(signal),
      close: () => backend.close(),
    }
  }
}
